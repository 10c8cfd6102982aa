import { mergeOverrides } from "../../domain/profile/overrides.js";
import { parseProfile } from "../../domain/profile/parse-profile.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";
import { UsageError } from "../../kernel/messages/problem.js";
import type { ResolvedOptions } from "../../sandbox/config/options.js";
import { ruleSchema } from "../../sandbox/state/rule-schema.js";
import type { Experiment } from "./experiment.js";

/** The options of a sandbox that differs by the experiment. Its rules are the newest, so they apply first. */
export function differ(options: ResolvedOptions, { rules, profile }: Experiment): ResolvedOptions {
  const added = rules.map((rule) => ruleSchema.parse(rule));
  const change = <Company extends ResolvedOptions["defaults"]>(company: Company): Company => ({
    ...company,
    rules: [...(company.rules ?? []), ...added],
    profile: profile === undefined ? company.profile : mergeProfile(company.profile, profile),
  });
  return { ...options, defaults: change(options.defaults), companies: options.companies.map(change) };
}

function mergeProfile(base: ProfileOverrides, patch: ProfileOverrides): ProfileOverrides {
  const parsed = parseProfile(mergeOverrides(base, patch));
  if (parsed.ok) return parsed.overrides;
  throw new UsageError(
    "input",
    parsed.problems.map(({ message }) => message),
  );
}
