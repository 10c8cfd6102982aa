import type * as z from "zod";
import { operators, typeNames } from "../../kernel/matchers.js";
import { document, type JsonSchema, profileDefinition, renderSchema } from "../../sandbox/config/json-schema.js";
import { scenarioSchema } from "./scenario-schema.js";
import { expectation, step } from "./step-fields.js";
import { stepSchemas } from "./step-schemas.js";

/** The published JSON Schema of scenario files, generated from the schemas that validate them. */
export function scenarioJsonSchema(): JsonSchema {
  const references = new Map<z.ZodType, string>([
    [expectation, "expectation"],
    [step, "step"],
  ]);
  const steps = Object.entries(stepSchemas).map(([keyword, schema]) => ({
    title: keyword,
    ...renderSchema(schema, references),
  }));
  const matchers = Object.fromEntries(Object.keys(operators).map((name) => [name, operandSchemas[name]]));
  return document("Scenario of the sandbox", renderSchema(scenarioSchema, references), {
    step: { anyOf: steps },
    // Without anyOf, an editor reports the problem of the form that was meant.
    expectation: {
      description: "Only the named members are compared; a list element by element; an object of $… is a matcher",
      ...anything,
      items: ref("expectation"),
      properties: matchers,
      additionalProperties: ref("expectation"),
      if: { type: "object", propertyNames: { pattern: "^(?!\\$)" } },
      else: { ...anything, properties: matchers, additionalProperties: false },
    },
    matcher: { type: "object", minProperties: 1, properties: matchers, additionalProperties: false },
    profile: profileDefinition(),
  });
}

function ref(name: string): JsonSchema {
  return { $ref: `#/$defs/${name}` };
}

const anything: JsonSchema = { type: ["string", "number", "boolean", "null", "array", "object"] };

/** A variable in the place of the operand. */
const variable: JsonSchema = { type: "string", pattern: "\\$\\{" };

function comparison(words: string): JsonSchema {
  return { description: `${words}: a number, or a text such as an ISO 8601 time`, type: ["number", "string"] };
}

/** The schema of each matcher's operand, by the matcher's name. */
const operandSchemas: Readonly<Record<string, JsonSchema>> = {
  $regex: { description: "A text in which the regular expression is found", type: "string" },
  $type: { description: "Of that type", anyOf: [{ enum: typeNames }, variable] },
  $gt: comparison("Above"),
  $gte: comparison("At least"),
  $lt: comparison("Below"),
  $lte: comparison("At most"),
  $in: {
    description: "Like one of them",
    anyOf: [{ type: "array", minItems: 1, items: ref("expectation") }, variable],
  },
  $length: {
    description: "A text or a list of that length, which may be a matcher",
    anyOf: [{ type: "integer", minimum: 0 }, ref("matcher"), variable],
  },
  $contains: {
    description: "A text with that in it, or a list with an element like that",
    allOf: [ref("expectation")],
  },
  $absent: { description: "Nothing stands there", anyOf: [{ const: true }, variable] },
  $any: { description: "Any value", anyOf: [{ const: true }, variable] },
  $exact: { description: "Exactly that: no other members, and no matchers" },
};
