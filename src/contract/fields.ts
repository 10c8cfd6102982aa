import * as z from "zod";
import { isMsisdn } from "../domain/msisdn.js";
import { lazily } from "../kernel/lazily.js";
import { parseUrl } from "../kernel/parse-url.js";

/**
 * The strict fields of requests. Each message completes "<field> …" and says what would be right. What takes no arguments is one schema for all who use
 * it, so that the API description can name it.
 */

/** A whole number of XOF: "Integers appear for requests". */
export function xof(min: number, max: number): z.ZodType<number> {
  const error = `must be a whole number of XOF from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

export function text(what: string): z.ZodType<string> {
  const error = `must be ${what}, a string that is not blank`;
  return z.string({ error }).regex(/\S/, { error });
}

const msisdnError = "must be a phone number: a string of 8 to 15 digits after an optional + or 00";

export const msisdn = lazily((): z.ZodType<string> =>
  z
    .string({ error: msisdnError })
    .refine(isMsisdn, { error: msisdnError })
    .meta({ pattern: "^(\\+|00)?\\d{8,15}$", examples: ["+2250700000001"] }),
);

const urlError = "must be an absolute http or https URL";

export const absoluteUrl = lazily((): z.ZodType<string> =>
  z
    .string({ error: urlError })
    .refine(isAbsoluteHttpUrl, { error: urlError })
    .meta({ pattern: String.raw`^[Hh][Tt][Tt][Pp][Ss]?://[^\s/\\]\S*$` }),
);

/** No white space or control characters, and a host after the slashes: the URL parser would mend all of it silently. */
function isAbsoluteHttpUrl(url: string): boolean {
  // eslint-disable-next-line no-control-regex
  return /^https?:\/\/[^\s\u0000-\u001f/\\][^\s\u0000-\u001f]*$/i.test(url) && parseUrl(url) !== undefined;
}

/** Deeper data than this no caller sends, and printing it would exhaust the stack. */
const METADATA_DEPTH_MAX = 100;
const metadataError = `must be an object, nested at most ${METADATA_DEPTH_MAX} deep, with finite numbers`;

/** Kept and returned as it was sent, keys such as `__proto__` included: no copy is made. */
export const metadata = lazily(() =>
  z
    .custom<Record<string, unknown>>((value) => isObject(value) && isPrintable(value), { error: metadataError })
    .meta({ type: "object", additionalProperties: true }),
);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether it comes back as it was sent: 1e400 would be null. Level by level, since a recursion would be what it guards against. */
function isPrintable(value: object): boolean {
  let level: object[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === METADATA_DEPTH_MAX) return false;
    const members = level.flatMap((item): unknown[] => Object.values(item));
    if (members.some((member) => member === Infinity || member === -Infinity)) return false;
    level = members.filter((member): member is object => typeof member === "object" && member !== null);
  }
  return true;
}
