import { z } from "zod";
import { isMsisdn } from "../domain/msisdn.js";

/** The strict fields of requests. Each message completes "<field> …" and says what would be right. */

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

export const msisdn: z.ZodType<string> = z
  .string({ error: msisdnError })
  .refine(isMsisdn, { error: msisdnError })
  .meta({ pattern: "^(\\+|00)?\\d{8,15}$", examples: ["+2250700000001"] });

const urlError = "must be an absolute http or https URL";

export const absoluteUrl: z.ZodType<string> = z
  .string({ error: urlError })
  .refine(isAbsoluteHttpUrl, { error: urlError })
  .meta({ format: "uri", pattern: "^https?://" });

/** No white space or control characters: the URL parser would drop them silently. */
function isAbsoluteHttpUrl(url: string): boolean {
  // eslint-disable-next-line no-control-regex
  return /^https?:\/\/[^\s\u0000-\u001f]+$/i.test(url) && URL.canParse(url);
}

/** Deeper data than this no caller sends, and printing it would exhaust the stack. */
const METADATA_DEPTH_MAX = 100;
const metadataError = `must be an object, nested at most ${METADATA_DEPTH_MAX} deep`;

/** Kept and returned as it was sent, keys such as `__proto__` included: no copy is made. */
export const metadata = z
  .custom<Record<string, unknown>>((value) => isObject(value) && depthOf(value) <= METADATA_DEPTH_MAX, {
    error: metadataError,
  })
  .meta({ type: "object", additionalProperties: true });

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Level by level, since a recursion would be what it guards against. */
function depthOf(value: object): number {
  let depth = 0;
  for (let level: object[] = [value]; level.length > 0 && depth <= METADATA_DEPTH_MAX; depth++) {
    level = level
      .flatMap((item): unknown[] => Object.values(item))
      .filter((item): item is object => typeof item === "object" && item !== null);
  }
  return depth;
}
