import { mergeOverrides } from "../../domain/profile/overrides.js";
import type { ResolvedOptions } from "../../sandbox/config/options.js";
import { acceptProfile } from "../../sandbox/state/profile.js";
import { ruleSchema } from "../../sandbox/state/rule-schema.js";
import type { Experiment } from "./experiment.js";

/** The options of a sandbox with the experiment's rules and settings. Its rules are the newest, so they apply first. */
export function differ(options: ResolvedOptions, { rules, profile }: Experiment): ResolvedOptions {
  const added = rules.map((rule) => ruleSchema.parse(rule));
  const change = <Company extends ResolvedOptions["defaults"]>(company: Company): Company => ({
    ...company,
    rules: [...(company.rules ?? []), ...added],
    profile:
      profile === undefined ? company.profile : acceptProfile(mergeOverrides(company.profile, profile)).overrides,
  });
  return { ...options, defaults: change(options.defaults), companies: options.companies.map(change) };
}
