import { mergeOverrides } from "../../domain/profile/overrides.js";
import { type ParsedProfile, parseProfile } from "../../domain/profile/parse-profile.js";
import type { Profile } from "../../domain/profile/profile.js";
import { UsageError, type UsageErrorKind } from "../../kernel/messages/problem.js";
import type { CompanyRecord } from "./company-record.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";

/** The defaults with these overrides. Throws UsageError(`kind`) with everything that is wrong; each message begins with `failed`. */
export function acceptProfile(
  overrides: unknown,
  kind: UsageErrorKind = "input",
  failed = "",
): Extract<ParsedProfile, { readonly ok: true }> {
  const parsed = parseProfile(overrides);
  if (parsed.ok) return parsed;
  throw new UsageError(
    kind,
    parsed.problems.map(({ message }) => failed + message),
  );
}

interface ProfileOwner {
  readonly record: Pick<CompanyRecord, "overrides">;
  adopt(profile: Profile, overrides: ProfileOverrides): void;
}

/**
 * Merges a nested patch into a company's own settings, from the next request on. The value of a setting is replaced as a whole; null returns it to its
 * default. Throws UsageError("input") with everything that is wrong, and then changes nothing.
 */
export function changeProfile(company: ProfileOwner, patch: unknown): void {
  const { profile, overrides } = acceptProfile(mergeOverrides(company.record.overrides, patch));
  company.adopt(profile, overrides);
}
