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
    expiresAt: instant.meta({
      description: "When the token expires (ISO 8601, the company's clock); after it the API answers 401",
    }),
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
        "The id of the company; company_shop has the access token at_shop and the secret key secret_shop by default",
    }),
    name: optional(text("the company's name"), "The name of the company on the payment page (default: its id)"),
    accessToken: optional(tokenEntry, "The bearer token that selects the company"),
    accessTokens: optional(
      listOf(tokenEntry, { of: "access tokens", min: 1 }),
      "Several access tokens, instead of accessToken",
    ),
    secretKey: optional(
      text("the key that signs webhooks"),
      "The key that signs the company's webhooks; it is never sent",
    ),
    balance: optional(balance, "The company's balance at the start, in XOF (default: that of the sandbox)"),
    clock: optional(clock, "The company's clock: running, frozen, or an ISO 8601 time at which it stands still"),
    profile: optional(profile, "The settings of this company alone; they override those of the sandbox"),
    rules: rulesField
      .optional()
      .meta({ description: "The rules of the company when it is created: { on, match, then, times }" }),
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
    allow: listOf(allowance, { of: "kinds of findings, such as [double-payout]" }).default([]).meta({
      description: "Findings that tests cause on purpose: KIND, or KIND:RESOURCE for those that name the resource",
    }),
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
    companies: companies.default([]).meta({ description: "The companies that are opened instead of the default one" }),
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
    publicUrl: optional(absoluteUrl, "The URL at which others reach the sandbox; payment links begin with it"),
    profile: optional(
      z.union([path("a profile file"), profile], { error: "must be nested settings, or the path of a profile file" }),
      "The settings, nested by group, or the path of a profile file",
    ),
    fixtures: optional(paths("a fixtures file"), "Paths of fixtures files, relative to this file"),
    scenario: optional(
      paths("a scenario file"),
      "Paths of scenario files to play while an application drives the API, relative to this file",
    ),
    record: optional(
      path("a scenario file to write"),
      "The path of the scenario file that the session is written to when it ends",
    ),
    store: optional(
      matching(/^(?:memory|file:.*\S.*)$/, "memory or file:PATH").transform((given) =>
        given === "memory" ? given : `file:${resolve(folder, given.slice("file:".length))}`,
      ),
      "Where the state is kept: memory (default), or file:PATH",
    ),
    clock: optional(
      clock.transform((choice) => (typeof choice === "string" ? choice : toIso(choice.frozenAt))),
      "The clock: running (default), frozen, or an ISO 8601 time at which it stands still",
    ),
    tenancy: optional(flag, "Whether access tokens control their own company only, and all else needs the admin token"),
    trustedProxies: optional(
      listOf(network, { of: "addresses and networks" }),
      "Proxies whose X-Forwarded-For header is trusted: addresses, and networks such as 10.0.0.0/8",
    ),
    autoProvision: optional(
      flag,
      "Whether each new access token opens a company; with tenancy, whether anyone may open one",
    ),
    seed: optional(
      wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
      "The seed of generated identifiers and names: the same seed gives the same ones",
    ),
    adminToken: optional(credential("a token"), "The bearer token that the control API requires"),
    tlsCert: optional(path("a certificate"), "The path of a TLS certificate, for HTTPS; needs tlsKey"),
    tlsKey: optional(path("a private key"), "The path of the certificate's private key; needs tlsCert"),
    drain: optional(
      duration(),
      "How long the sandbox still answers after SIGTERM, while it reports not ready (default 0s)",
    ),
    productionHeadersOnly: optional(flag, "Whether answers leave out the headers x-sandbox and x-sandbox-now"),
    log: optional(word(["pretty", "json", "silent"]), "The format of the log (default pretty)"),
    logLevel: optional(
      word(logLevels),
      "The lowest level that is logged: info has each change, debug also each request (default info)",
    ),
    open: optional(flag, "Whether to open the dashboard in a browser"),
    limits: optional(limits, "Limits of the records that are kept"),
    findings: optional(findingsField, "Which findings are expected"),
    balance: optional(balance, "The balance of every company at the start, in XOF (default 10000000)"),
    rules: optional(rulesField, "The rules of every company when it is created: { on, match, then, times }"),
    companies: optional(companies, "The companies that are opened instead of the default one"),
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
