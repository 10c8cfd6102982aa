import { type ParsedProfile, parseProfile } from "../../domain/profile/parse-profile.js";
import { UsageError } from "../../kernel/problem.js";

/** The profile that overrides make of the defaults. Throws UsageError("input") with everything that is wrong. */
export function acceptProfile(overrides: unknown): Extract<ParsedProfile, { readonly ok: true }> {
  const parsed = parseProfile(overrides);
  if (parsed.ok) return parsed;
  throw new UsageError(
    "input",
    parsed.problems.map(({ message }) => message),
  );
}
