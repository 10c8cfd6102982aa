import * as z from "zod";
import { object } from "../../../kernel/fields.js";

/**
 * The schema of what a codec's value is in memory. `z.encode` would check that, too, but in several times the time, and a store may have 100 000 records.
 * Where the schema does not say what is in memory, a codec keeps the fields as they are (`storedAs`).
 */
export function inMemory(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodCodec) {
    const { in: stored, out, checks = [] } = schema.def;
    return out instanceof z.ZodCustom ? inMemory(stored) : checked(out, checks);
  }
  if (schema instanceof z.ZodObject) {
    const members = Object.entries(schema.def.shape).map(([key, member]) => [key, inMemory(member)]);
    return checked(object(Object.fromEntries(members)), schema.def.checks);
  }
  if (schema instanceof z.ZodArray) return checked(z.array(inMemory(schema.def.element)), schema.def.checks);
  if (schema instanceof z.ZodNullable) return z.nullable(inMemory(schema.def.innerType));
  if (schema instanceof z.ZodUnion) return z.union(schema.def.options.map(inMemory));
  return schema;
}

function checked(schema: z.core.$ZodType, checks: readonly unknown[] = []): z.core.$ZodType {
  return checks.length === 0 || !(schema instanceof z.ZodType)
    ? schema
    : schema.check(...(checks as z.core.$ZodCheck<unknown>[]));
}
