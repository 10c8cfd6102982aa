import { describeProfile } from "../../domain/profile/describe-profile.js";
import { isObject } from "../../domain/profile/read-overrides.js";
import { changeProfile } from "../../sandbox/state/profile.js";
import type { Company } from "../../sandbox/company/company.js";
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
      changeProfile(company, withoutSettings(body ?? null));
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
