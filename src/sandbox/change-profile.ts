import { mergeOverrides } from "../domain/profile/merge-overrides.js";
import { parseProfile } from "../domain/profile/parse-profile.js";
import { UsageError } from "../kernel/problem.js";
import type { Company } from "./company.js";

/**
 * Lays a nested patch over a company's own settings, from the next request on: "a setting's value is replaced whole", null returns it to its
 * default. Throws UsageError("input") with everything that is wrong, and then nothing has changed.
 */
export function changeProfile(company: Company, patch: unknown): void {
  const parsed = parseProfile(mergeOverrides(company.record.overrides, patch));
  if (!parsed.ok)
    throw new UsageError(
      "input",
      parsed.problems.map(({ message }) => message),
    );
  company.adopt(parsed.profile, parsed.overrides);
}
