import * as z from "zod";
import type { SettingPath } from "../domain/profile/profile.js";

/** The contract's common types as answers show them. Each schema is a single instance, so that the API description refers to it by name. */

/** A schema for every field of a body. A field that is missing here, or that the body does not have, does not compile. */
export type FieldsOf<Body> = { readonly [Name in keyof Required<Body>]: z.ZodType<Exclude<Body[Name], undefined>> };

/** What the API description says about a field. */
export interface FieldNote {
  [key: string]: unknown;
  description: string;
  "x-sandbox-setting"?: SettingPath[];
}

/** A description for a schema's `.meta()`, with the settings that the field depends on. */
export function note(description: string, ...settings: SettingPath[]): FieldNote {
  return settings.length === 0 ? { description } : { description, "x-sandbox-setting": settings };
}

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/** The contract: "Number. Integers appear for requests and most responses; a decimal […] appears in a webhook payload." */
export const amount = z
  .number()
  .min(0)
  .meta({ description: "An amount of XOF: a whole number, or a decimal where a fee has a fractional part." });

/** The contract: "Mostly ISO 8601 UTC with milliseconds and trailing Z." */
export const timestamp = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ description: "ISO 8601 in UTC with milliseconds.", format: "date-time" });

/** The contract: "a compact form (date and time without separators, with milliseconds and Z)". */
export const compactTimestamp = z
  .string()
  .regex(/^\d{8}T\d{6}\.\d{3}Z$/)
  .meta({ description: "Date and time in UTC without separators, with milliseconds: `20250128T083908.249Z`." });

/** `txn_<uuid>`, or a plain UUID without a prefix. */
export function uuidWith(prefix: "txn_" | "bat_" | "") {
  return z.string().regex(new RegExp(`^${prefix}${UUID}$`));
}
