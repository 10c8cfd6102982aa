import { describeProfile } from "../../domain/profile/describe-profile.js";
import { mergeOverrides } from "../../domain/profile/merge-overrides.js";
import { parseProfile } from "../../domain/profile/parse-profile.js";
import { isObject } from "../../domain/profile/read-overrides.js";
import { UsageError } from "../../kernel/problem.js";
import type { Company } from "../../sandbox/company.js";
import type { ControlRoute } from "./control-route.js";
import { profileValuesOf } from "./render-control.js";

/** The contract's open points as this company answers them. */
export const profileRoutes: readonly ControlRoute[] = [
  { method: "GET", path: "/profile", company: "selected", handle: ({ company }) => renderProfile(company) },
  {
    method: "PATCH",
    path: "/profile",
    company: "selected",
    takes: "json",
    handle: ({ company, body }) => {
      const parsed = parseProfile(mergeOverrides(company.record.overrides, withoutSettings(body ?? null)));
      if (!parsed.ok)
        throw new UsageError(
          "input",
          parsed.problems.map(({ message }) => message),
        );
      company.adopt(parsed.profile, parsed.overrides);
      return renderProfile(company);
    },
  },
];

/** The values, nested, and beside them every setting with its default, its alternatives and the contract's sentence. */
function renderProfile(company: Company) {
  const values = profileValuesOf(company);
  return { ...values, settings: describeProfile(values) };
}

/** What GET gave can be sent back as it is. */
function withoutSettings(body: unknown): unknown {
  if (!isObject(body)) return body;
  const { settings: _, ...overrides } = body;
  return overrides;
}
