import * as z from "zod";
import type { ProfileOverrides } from "../../domain/profile/setting.js";
import type { RuleOrder } from "../../domain/rules/change-rules.js";
import { instant, listOf, report, text } from "../../kernel/fields.js";
import type { AccessToken } from "../state/company-record.js";
import { type ClockChoice, balance, clock, credential, mapping, onObjects, profile } from "../state/file-fields.js";
import { type WorldEntry, worldLists } from "../state/fixture.js";
import { ruleSchema } from "../state/rule-schema.js";
import { setupFor } from "./options.js";
import { type Money, fromXof } from "../../domain/values/money.js";

/** What a file says of a company. What is undefined is left to the sandbox. */
export interface CompanyEntry {
  readonly id: string;
  readonly tokens: readonly AccessToken[];
  readonly secretKey: string;
  readonly balance: Money | undefined;
  readonly clock: ClockChoice | undefined;
  readonly profile: ProfileOverrides;
  readonly rules: readonly RuleOrder[];
  /** Only this company's. */
  readonly world: WorldEntry;
}

/** What a fixtures file says. */
export interface FixturesEntry {
  readonly companies: readonly CompanyEntry[];
  /** Every company's. */
  readonly shared: WorldEntry;
}

/** "A rule is `{name?, on, match?, then, times?}`". */
export const rulesField = listOf(ruleSchema, { of: "rules such as { on, match, then }" });

const token = credential("an access token");
const datedToken = mapping(
  {
    token: token.meta({ description: "The bearer token" }),
    expiresAt: instant.meta({ description: "From then on it answers 401, by the company's clock" }),
  },
  "an access token, or { token, expiresAt }",
);

/** `at_shop`, or `{ token: at_shop, expiresAt: 2026-02-01T00:00:00Z }`. */
const tokenEntry: z.ZodType<AccessToken> = z.union(
  [token.transform((text) => ({ token: text, expiresAt: null })), datedToken],
  { error: "must be an access token (visible ASCII characters without spaces), or { token, expiresAt }" },
);

const companyEntry: z.ZodType<CompanyEntry> = mapping(
  {
    companyId: credential("the id of a company").meta({
      description:
        "Its id; company_shop has the access token at_shop and the secret key secret_shop unless it says otherwise",
    }),
    accessToken: tokenEntry.optional().meta({ description: "The bearer token that selects the company" }),
    accessTokens: listOf(tokenEntry, { of: "access tokens", min: 1 })
      .optional()
      .meta({ description: "Several of them, some with an end" }),
    secretKey: text("the key that signs webhooks")
      .optional()
      .meta({ description: "Signs webhooks, and is never sent" }),
    balance: balance.optional().meta({ description: "In XOF" }),
    clock: clock.optional().meta({ description: "running, frozen, or an ISO 8601 time to stand at" }),
    profile: profile.optional().meta({ description: "Settings of this company alone, over those of the sandbox" }),
    rules: rulesField.optional().meta({ description: "How its world misbehaves from the start" }),
    ...worldLists,
  },
  "a company such as { companyId: company_shop }",
)
  .superRefine((company, context) => {
    if (company.accessToken === undefined || company.accessTokens === undefined) return;
    report(context, ["accessToken"], "and accessTokens are both there: keep the list, with this token in it", {
      beside: true,
    });
  }, onObjects)
  .transform(({ companyId, accessToken, accessTokens, secretKey, balance, clock, profile, rules, ...world }) => {
    const named = identityOf(companyId);
    return {
      id: companyId,
      tokens: accessTokens ?? (accessToken === undefined ? named.tokens : [accessToken]),
      secretKey: secretKey ?? named.secretKey,
      balance: balance === undefined ? undefined : fromXof(balance),
      clock,
      profile: profile ?? {},
      rules: rules ?? [],
      world,
    };
  });

export const companiesField = listOf(companyEntry, { of: "companies" });

export const fixturesSchema: z.ZodType<FixturesEntry> = mapping(
  {
    companies: companiesField.default([]).meta({ description: "Opened instead of the default company" }),
    ...worldLists,
  },
  "a mapping with companies, customers, charges, transactions and subscriptions",
).transform(({ companies, ...shared }) => ({ companies, shared }));

/** "token `at_X` gives company id `company_X` and secret `secret_X`", read from the other side. */
export function identityOf(companyId: string): ReturnType<typeof setupFor> {
  return setupFor(`at_${companyId.replace(/^company_(?=.)/, "")}`);
}
