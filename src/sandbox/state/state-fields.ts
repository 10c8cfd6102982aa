import Big from "big.js";
import * as z from "zod";
import { batchId, transactionId } from "../../contract/transfers-wire.js";
import { plainId } from "../../contract/ids.js";
import { fromXof, isExactXof, type Money, toXof } from "../../domain/values/money.js";
import { type Instant, parseInstant, toIso } from "../../kernel/instant.js";

/**
 * How a state is written: codecs, so that one schema reads it and writes it. Times are ISO with milliseconds, amounts are XOF, ids are as the API gives
 * them. Each message completes "<field> …".
 */

export function string(what = "a string"): z.ZodType<string, string> {
  return z.string({ error: `must be ${what}` });
}

const idError = "must be an id, a string that is not empty";
export const id: z.ZodType<string, string> = z.string({ error: idError }).min(1, { error: idError });

const countError = "must be a whole number from 0";
export const count: z.ZodType<number, number> = z.int({ error: countError }).min(0, { error: countError });

export const boolean: z.ZodType<boolean, boolean> = z.boolean({ error: "must be true or false" });

export function oneOf<const Word extends string>(words: readonly Word[]): z.ZodType<Word, Word> {
  return z.enum(words, { error: `must be one of ${words.join(", ")}` });
}

export function list<T>(row: z.ZodType<T>): z.ZodType<T[]> {
  return z.array(row, { error: "must be a list" });
}

const instantError = "must be an ISO 8601 time such as 2026-01-15T09:00:00.000Z";

export const instant: z.ZodType<Instant, string> = z.codec(z.string({ error: instantError }), z.number(), {
  decode: (text, context) => readInstant(text) ?? complain(context, text, instantError),
  encode: toIso,
});

/** Timers may lie beyond the last time to which a clock can be set. */
function readInstant(text: string): Instant | undefined {
  const parsed = Date.parse(text);
  return parseInstant(text) ?? (!Number.isNaN(parsed) && toIso(parsed) === text ? parsed : undefined);
}

/** A number of XOF, or its decimals as text where a number would lose the last of them. */
export function money(sign: "any" | "positive"): z.ZodType<Money, number | string> {
  const error = `must be a number of XOF${sign === "any" ? "" : " from 0"} with at most 4 decimals`;
  return z.codec(z.union([z.number(), z.string()], { error }), z.number(), {
    decode: (written, context) => {
      const read = readMoney(written);
      return read === undefined || (sign === "positive" && read < 0) ? complain(context, written, error) : read;
    },
    encode: (amount) => (isExactXof(toXof(amount)) ? toXof(amount) : Big(amount).div(10_000).toFixed()),
  });
}

function readMoney(written: number | string): Money | undefined {
  if (typeof written === "number") return isExactXof(written) ? fromXof(written) : undefined;
  const units = /^-?\d{1,12}(?:\.\d{1,4})?$/.test(written) ? Big(written).times(10_000).toNumber() : undefined;
  return units !== undefined && Number.isSafeInteger(units) ? units : undefined;
}

export const transaction: z.ZodType<string, string> = z.codec(id, id, { decode: plainId, encode: transactionId });
export const batch: z.ZodType<string, string> = z.codec(id, id, { decode: plainId, encode: batchId });

/** What a record leaves undefined is null in JSON. */
export function orUndefined<T>(schema: z.ZodType<T, T>): z.ZodType<T | undefined> {
  return z.codec(schema.nullable(), z.union([schema, z.undefined()]), {
    decode: (value) => value ?? undefined,
    encode: (value) => value ?? null,
  });
}

/** Any value of `T`: the other side of a codec, whose first side has checked it. */
export function checked<T>(): z.ZodType<T, T> {
  return z.custom<T>();
}

interface CodecContext {
  readonly issues: { push(issue: { code: "custom"; input: unknown; message: string }): unknown };
}

function complain(context: CodecContext, input: unknown, message: string): never {
  context.issues.push({ code: "custom", input, message });
  return z.NEVER;
}
