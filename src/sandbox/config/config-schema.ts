import { resolve } from "node:path";
import ipaddr from "ipaddr.js";
import * as z from "zod";
import { RULES_MAX } from "../../domain/rules/change-rules.js";
import { fromXof } from "../../domain/values/money.js";
import {
  absoluteUrl,
  duration,
  flag,
  instant,
  listOf,
  matching,
  optional,
  report,
  text,
  wholeNumber,
  word,
} from "../../kernel/fields.js";
import { toIso } from "../../kernel/time/instant.js";
import { logLevels } from "../../kernel/log.js";
import type { AccessToken } from "../state/company-record.js";
import { balance, clock, credential, mapping, onObjects, profile } from "../state/file-fields.js";
import { worldLists } from "../state/fixture.js";
import { ruleSchema } from "../state/rule-schema.js";
import { allowance } from "./allowance.js";
import { limits } from "../company/limits.js";
import { setupFor } from "./options.js";

/** A list of rules `{name?, on, match?, then, times?}`. */
export const rulesField = listOf(ruleSchema, { of: "rules such as { on, match, then }", max: RULES_MAX });

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
  [token.transform((given) => ({ token: given, expiresAt: null })), datedToken],
  { error: "must be an access token (visible ASCII characters without spaces), or { token, expiresAt }" },
);

const companyEntry = mapping(
  {
    companyId: credential("the id of a company").meta({
      description:
        "Its id; company_shop has the access token at_shop and the secret key secret_shop unless it says otherwise",
    }),
    name: optional(text("the company's name"), "Its name on the payment page; by default the id"),
    accessToken: optional(tokenEntry, "The bearer token that selects the company"),
    accessTokens: optional(listOf(tokenEntry, { of: "access tokens", min: 1 }), "Several access tokens"),
    secretKey: optional(text("the key that signs webhooks"), "Signs webhooks, and is never sent"),
    balance: optional(balance, "In XOF"),
    clock: optional(clock, "running, frozen, or an ISO 8601 time to stand at"),
    profile: optional(profile, "Settings of this company alone, over those of the sandbox"),
    rules: rulesField.optional().meta({ description: "Its rules from the start" }),
    ...worldLists,
  },
  "a company such as { companyId: company_shop }",
)
  .superRefine((company, context) => {
    if (company.accessToken === undefined || company.accessTokens === undefined) return;
    const message = "and accessTokens are both there: keep the list, with this token in it";
    report(context, ["accessToken"], message, { beside: true });
  }, onObjects)
  .transform(({ companyId, name, accessToken, accessTokens, secretKey, balance, clock, profile, rules, ...world }) => {
    const named = identityOf(companyId);
    return {
      id: companyId,
      name,
      tokens: accessTokens ?? (accessToken === undefined ? named.tokens : [accessToken]),
      secretKey: secretKey ?? named.secretKey,
      balance: balance === undefined ? undefined : fromXof(balance),
      clock,
      profile: profile ?? {},
      rules: rules ?? [],
      world,
    };
  });

/** A company as a file describes it. What is undefined comes from the sandbox's defaults. */
export type CompanyEntry = z.output<typeof companyEntry>;

const findingsField = mapping(
  {
    allow: listOf(allowance, { of: "kinds of findings, such as [double-payout]" })
      .default([])
      .meta({ description: "Expected by deliberate negative tests: KIND, or KIND:RESOURCE for those that name it" }),
  },
  "a mapping such as { allow: [double-payout] }",
);

const network = z.string().refine((given) => ipaddr.isValid(given) || ipaddr.isValidCIDR(given), {
  error: "must be an IP address or a network such as 10.0.0.0/8",
});

const companies = listOf(companyEntry, { of: "companies" });

export function defaultTokenOf(companyId: string): string {
  return `at_${companyId.replace(/^company_(?=.)/, "")}`;
}

/** The identity of a company id: `company_X` has the token `at_X` and the secret key `secret_X`. */
export function identityOf(companyId: string): ReturnType<typeof setupFor> {
  return setupFor(defaultTokenOf(companyId));
}

/** The records of `shared` belong to every company. */
export const fixturesSchema = mapping(
  {
    companies: companies.default([]).meta({ description: "Opened instead of the default company" }),
    ...worldLists,
  },
  "a mapping with companies, customers, charges, transactions and subscriptions",
).transform(({ companies, ...shared }) => ({ companies, shared }));

/** What a configuration file may contain: the flags of `sandbox start`, and companies. Relative paths in it are relative to `folder`. */
export function configFields(folder: string) {
  const path = (what: string) => text(`the path of ${what}`).transform((given) => resolve(folder, given));
  const paths = (what: string) => {
    const one = path(what);
    return z.union([one.transform((single) => [single]), listOf(one, { of: "paths" })], {
      error: "must be a path, or a list of paths",
    });
  };
  return {
    port: optional(wholeNumber(0, 65_535), "The port to listen on; 0 takes a free one (default 4010)"),
    host: optional(text("an address or a name of this machine"), "The address to listen on (default 127.0.0.1)"),
    publicUrl: optional(absoluteUrl, "Where others reach the sandbox; payment links begin with it"),
    profile: optional(
      z.union([path("a profile file"), profile], { error: "must be nested settings, or the path of a profile file" }),
      "Nested settings, or the path of a profile file",
    ),
    fixtures: optional(paths("a fixtures file"), "Paths of fixtures files, from this file"),
    scenario: optional(
      paths("a scenario file"),
      "Paths of scenario files that are played while an application drives the API",
    ),
    record: optional(path("a scenario file to write"), "The path of a scenario file that the session is written to"),
    store: optional(
      matching(/^(?:memory|file:.*\S.*)$/, "memory or file:PATH").transform((given) =>
        given === "memory" ? given : `file:${resolve(folder, given.slice("file:".length))}`,
      ),
      "memory (default), or file:PATH",
    ),
    clock: optional(
      clock.transform((choice) => (typeof choice === "string" ? choice : toIso(choice.frozenAt))),
      "running (default), frozen, or an ISO 8601 time to stand at",
    ),
    tenancy: optional(flag, "A company's access token drives that company; everything else needs the admin token"),
    trustedProxies: optional(
      listOf(network, { of: "addresses and networks" }),
      "Proxies whose X-Forwarded-For is believed: addresses and networks such as 10.0.0.0/8",
    ),
    autoProvision: optional(flag, "Any unseen access token opens a company of its own"),
    seed: optional(wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER), "Makes identifiers and names repeat"),
    adminToken: optional(credential("a token"), "The bearer token that the control API asks for"),
    tlsCert: optional(path("a certificate"), "The path of a certificate, for HTTPS"),
    tlsKey: optional(path("a private key"), "The path of the certificate's private key"),
    drain: optional(duration(), "How long it goes on answering after SIGTERM, not ready any more (default 0s)"),
    productionHeadersOnly: optional(flag, "Answers without the headers x-sandbox and x-sandbox-now"),
    log: optional(word(["pretty", "json", "silent"]), "How the log is written (default pretty)"),
    logLevel: optional(word(logLevels), "What is logged: debug adds each request to each change (default info)"),
    open: optional(flag, "Shows the dashboard in a browser"),
    limits: optional(limits, "Bounds of what only grows"),
    findings: optional(findingsField, "What exec does with findings"),
    balance: optional(balance, "Of every company, in XOF (default 10000000)"),
    rules: optional(rulesField, "Rules of every company from the start: { on, match, then, times }"),
    companies: optional(companies, "Opened instead of the default company"),
  };
}

export function configSchema(folder: string) {
  return mapping(configFields(folder), "a mapping of the options of sandbox start").superRefine(
    ({ tlsCert, tlsKey }, context) => {
      if ((tlsCert === undefined) === (tlsKey === undefined)) return;
      const [has, lacks] = tlsKey === undefined ? ["tlsCert", "tlsKey"] : ["tlsKey", "tlsCert"];
      report(context, [has], `needs ${lacks} beside it: HTTPS takes a certificate and its key`, { beside: true });
    },
    onObjects,
  );
}

export type FileConfig = z.output<ReturnType<typeof configSchema>>;
