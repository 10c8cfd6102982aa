import { parseProfile } from "../../src/domain/profile/parse-profile.js";

/** The profile with these settings; throws when they are refused. */
export function acceptedProfile(overrides: unknown = {}) {
  const parsed = parseProfile(overrides);
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join("\n"));
  return parsed;
}
