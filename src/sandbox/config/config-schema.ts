import { resolve } from "node:path";
import * as z from "zod";
import { absoluteUrl, flag, listOf, report, text, wholeNumber, word } from "../../kernel/fields.js";
import { toIso } from "../../kernel/instant.js";
import { logLevels } from "../../kernel/log.js";
import { balance, clock, credential, mapping, profile } from "../state/file-fields.js";
import { companiesField, rulesField } from "./company-schema.js";
import type { FileConfig } from "./load-config.js";
import { DEFAULT_LIMITS, type SandboxLimits } from "./options.js";

/** A configuration file in `folder`: its relative paths are relative to that. */
export function configSchema(folder: string): z.ZodType<FileConfig> {
  return mapping(configFields(folder), "a mapping of the options of sandbox start").superRefine(checkTls, {
    when: ({ value }) => typeof value === "object" && value !== null,
  });
}

export function configFields(folder: string) {
  const path = (what: string): z.ZodType<string> =>
    text(`the path of ${what}`).transform((given) => resolve(folder, given));
  const paths = (what: string): z.ZodType<string[]> => {
    const one = path(what);
    return z.union([one.transform((single) => [single]), listOf(one, { of: "paths" })], {
      error: "must be a path, or a list of paths",
    });
  };
  return {
    port: wholeNumber(0, 65_535)
      .optional()
      .meta({ description: "The port to listen on; 0 takes a free one (default 4010)" }),
    host: text("an address or a name of this machine")
      .optional()
      .meta({ description: "The address to listen on (default 127.0.0.1)" }),
    publicUrl: absoluteUrl
      .optional()
      .meta({ description: "Where others reach the sandbox; payment links begin with it" }),
    profile: z
      .union([path("a profile file"), profile], { error: "must be nested settings, or the path of a profile file" })
      .optional()
      .meta({ description: "Nested settings, or the path of a profile file" }),
    fixtures: paths("a fixtures file").optional().meta({ description: "Paths of fixtures files, from this file" }),
    scenario: paths("a scenario file")
      .optional()
      .meta({ description: "Paths of scenario files that are played while an application drives the API" }),
    record: path("a scenario file to write")
      .optional()
      .meta({ description: "The path of a scenario file that the session is written to" }),
    store: store(folder).optional().meta({ description: "memory (default), or file:PATH" }),
    clock: clock
      .transform((choice) => (typeof choice === "string" ? choice : toIso(choice.frozenAt)))
      .optional()
      .meta({ description: "running (default), frozen, or an ISO 8601 time to stand at" }),
    autoProvision: flag.optional().meta({ description: "Any unseen access token opens a company of its own" }),
    seed: wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
      .optional()
      .meta({ description: "Makes identifiers and names repeat" }),
    adminToken: credential("a token")
      .optional()
      .meta({ description: "The bearer token that the control API asks for" }),
    tlsCert: path("a certificate").optional().meta({ description: "The path of a certificate, for HTTPS" }),
    tlsKey: path("a private key").optional().meta({ description: "The path of the certificate's private key" }),
    productionHeadersOnly: flag
      .optional()
      .meta({ description: "Answers without the headers x-sandbox and x-sandbox-now" }),
    log: word(["pretty", "json", "silent"]).optional().meta({ description: "How the log is written (default pretty)" }),
    logLevel: word(logLevels)
      .optional()
      .meta({ description: "What is logged: debug adds each request to each change (default info)" }),
    open: flag.optional().meta({ description: "Shows the dashboard in a browser" }),
    limits: limits.optional().meta({ description: "Bounds of what only grows" }),
    balance: balance
      .optional()
      .meta({ description: "Of every company that does not say otherwise, in XOF (default 10000000)" }),
    rules: rulesField
      .optional()
      .meta({ description: "How every company's world misbehaves from the start: { on, match, then, times }" }),
    companies: companiesField.optional().meta({ description: "Opened instead of the default company" }),
  } satisfies Record<keyof FileConfig, z.ZodType>;
}

const LIMIT_MAX = 10_000_000;

function limit(what: string, byDefault: number) {
  return wholeNumber(1, LIMIT_MAX)
    .default(byDefault)
    .meta({ description: `${what} (default ${byDefault})` });
}

const limits = mapping(
  {
    requests: limit("Requests in the journal of a company", DEFAULT_LIMITS.requests),
    events: limit("Domain events of a company", DEFAULT_LIMITS.events),
    deliveries: limit("Deliveries of a company that are over", DEFAULT_LIMITS.deliveries),
    pendingDeliveries: limit("Deliveries of a company that are pending", DEFAULT_LIMITS.pendingDeliveries),
    companies: limit("Companies opened by their tokens", DEFAULT_LIMITS.companies),
    recordedRequests: limit("Requests in the story of --record", DEFAULT_LIMITS.recordedRequests),
  } satisfies Record<keyof SandboxLimits, z.ZodType>,
  "a mapping of limits",
);

function checkTls({ tlsCert, tlsKey }: FileConfig, context: z.RefinementCtx): void {
  if ((tlsCert === undefined) === (tlsKey === undefined)) return;
  const [has, lacks] = tlsKey === undefined ? ["tlsCert", "tlsKey"] : ["tlsKey", "tlsCert"];
  report(context, [has], `needs ${lacks} beside it: HTTPS takes a certificate and its key`, { beside: true });
}

const storeError = "must be memory or file:PATH";

function store(folder: string): z.ZodType<string> {
  return z
    .string({ error: storeError })
    .regex(/^(?:memory|file:.*\S.*)$/, { error: storeError })
    .transform((given) => (given === "memory" ? given : `file:${resolve(folder, given.slice("file:".length))}`));
}
