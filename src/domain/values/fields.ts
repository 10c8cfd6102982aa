import Big from "big.js";
import * as z from "zod";
import { numberWhere, refuseCodec, TEXT_MAX, wholeNumber } from "../../kernel/fields.js";
import { isObject, jsonBytes } from "../../kernel/messages/json.js";
import { fromXof, isExactXof, MONEY_STORED_MAX, type Money, toXof, XOF_MAX } from "./money.js";
import { isMsisdn } from "./msisdn.js";

/** The fields that are specific to payments, on top of kernel/fields.ts. */

const msisdnError = "must be a phone number: a string of 8 to 15 digits after an optional + or 00";

export const msisdn: z.ZodType<string, string> = z
  .string({ error: msisdnError })
  .refine(isMsisdn, { error: msisdnError })
  .meta({ pattern: "^(\\+|00)?\\d{8,15}$", examples: ["+2250700000001"], description: "A phone number." });

/** A whole number of XOF. The contract: "Integers appear for requests". */
export function wholeXof(min: number, max: number): z.ZodType<number, number> {
  return wholeNumber(min, max, "XOF");
}

/** A number of XOF with at most four decimals. */
export function decimalXof(max: number = XOF_MAX): z.ZodType<number, number> {
  const error = `must be a number of XOF from 0 to ${max} with at most 4 decimals`;
  return z.number({ error }).min(0, { error }).max(max, { error }).refine(isExactXof, { error });
}

/** Money in a stored state: a number of XOF, or text where a number would lose decimals. */
export function storedMoney(sign: "any" | "positive"): z.ZodType<Money, number | string> {
  const max = toXof(MONEY_STORED_MAX);
  const error = `must be a number of XOF from ${sign === "any" ? -max : 0} to ${max} with at most 4 decimals`;
  const kept = numberWhere(
    (value) => Number.isSafeInteger(value) && (sign === "any" || value >= 0),
    "a whole number of ten-thousandths of XOF",
  );
  return z.codec(z.union([z.number(), z.string()], { error }), kept, {
    decode: (written, context) => {
      const money = parseMoney(written);
      return money === undefined || (sign === "positive" && money < 0) ? refuseCodec(context, written, error) : money;
    },
    encode: (amount) => (isExactXof(toXof(amount)) ? toXof(amount) : Big(amount).div(10_000).toFixed()),
  });
}

function parseMoney(written: number | string): Money | undefined {
  if (typeof written === "number") return isExactXof(written) ? fromXof(written) : undefined;
  const units = /^-?\d{1,12}(?:\.\d{1,4})?$/.test(written) ? Big(written).times(10_000).toNumber() : undefined;
  return units !== undefined && Math.abs(units) <= MONEY_STORED_MAX ? units : undefined;
}

/** The amount of a stored charge, transfer or entry. */
export const storedAmount: z.ZodType<Money, number | string> = storedMoney("positive").refine(
  (amount) => amount > 0 && Number.isInteger(toXof(amount)),
  { error: "must be a whole number of XOF from 1" },
);

/** Printing deeper metadata would exhaust the stack. */
const METADATA_DEPTH_MAX = 100;
const metadataError = `must be an object, nested at most ${METADATA_DEPTH_MAX} deep, with finite numbers`;

/** Metadata is stored and returned as it was sent, including keys such as `__proto__`, so no copy is made. */
export const metadata = z
  .custom<Record<string, unknown>>((value) => isObject(value) && isPrintable(value), { error: metadataError })
  .refine((value) => jsonBytes(value, TEXT_MAX) <= TEXT_MAX, {
    error: `must have at most ${TEXT_MAX} bytes as JSON`,
  })
  .meta({ type: "object", additionalProperties: true, description: "Any JSON object." });

/** Whether JSON would give the value back unchanged: 1e400 would become null. */
function isPrintable(value: unknown, depth = 0): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return depth < METADATA_DEPTH_MAX && members.every((member) => isPrintable(member, depth + 1));
}
