import { mergeOverrides } from "../../domain/profile/merge-overrides.js";
import { acceptProfile } from "./accept-profile.js";
import type { Company } from "../company/company.js";

/**
 * Lays a nested patch over a company's own settings, from the next request on: "a setting's value is replaced whole", null returns it to its
 * default. Throws UsageError("input") with everything that is wrong, and then nothing has changed.
 */
export function changeProfile(company: Company, patch: unknown): void {
  const { profile, overrides } = acceptProfile(mergeOverrides(company.record.overrides, patch));
  company.adopt(profile, overrides);
}
