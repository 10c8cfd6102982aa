import { resolve } from "node:path";
import * as z from "zod";
import { absoluteUrl, text } from "../../contract/fields.js";
import { toIso } from "../../kernel/instant.js";
import { companiesField } from "./company-schema.js";
import { balance, clock, flag, listOf, object, profile, report, visible, wholeNumber, word } from "./fields.js";
import type { FileConfig } from "./load-config.js";

/** A configuration file in `folder`: its relative paths are relative to that. */
export function configSchema(folder: string): z.ZodType<FileConfig> {
  return object(configFields(folder), "a mapping of the options of sandbox start").superRefine(checkTls, {
    when: ({ value }) => typeof value === "object" && value !== null,
  });
}

export function configFields(folder: string) {
  const path = (what: string): z.ZodType<string> =>
    text(`the path of ${what}`).transform((given) => resolve(folder, given));
  const paths = (what: string): z.ZodType<string[]> => {
    const one = path(what);
    return z.union([one.transform((single) => [single]), listOf(one, "paths")], {
      error: "must be a path, or a list of paths",
    });
  };
  return {
    port: wholeNumber(0, 65_535).optional(),
    host: text("an address or a name of this machine").optional(),
    publicUrl: absoluteUrl.optional(),
    profile: z
      .union([path("a profile file"), profile], { error: "must be nested settings, or the path of a profile file" })
      .optional(),
    fixtures: paths("a fixtures file").optional(),
    scenario: paths("a scenario file").optional(),
    record: path("a scenario file to write").optional(),
    store: store(folder).optional(),
    clock: clock.transform((choice) => (typeof choice === "string" ? choice : toIso(choice.frozenAt))).optional(),
    autoProvision: flag.optional(),
    seed: wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).optional(),
    adminToken: visible("a token").optional(),
    tlsCert: path("a certificate").optional(),
    tlsKey: path("a private key").optional(),
    productionHeadersOnly: flag.optional(),
    log: word(["pretty", "json", "silent"]).optional(),
    balance: balance.optional(),
    companies: companiesField.optional(),
  } satisfies Record<keyof FileConfig, z.ZodType>;
}

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
