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
      description: "The expected value: of an object only these members are compared; { $… } is a matcher",
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
  return {
    description: `Matches a value ${words} this one: a number, or a text such as an ISO 8601 time`,
    type: ["number", "string"],
  };
}

/** The schema of each matcher's operand, by the matcher's name. */
const operandSchemas: Readonly<Record<string, JsonSchema>> = {
  $regex: { description: "Matches a text in which this regular expression is found", type: "string" },
  $type: { description: "Matches a value of this type", anyOf: [{ enum: typeNames }, variable] },
  $gt: comparison("above"),
  $gte: comparison("at or above"),
  $lt: comparison("below"),
  $lte: comparison("at or below"),
  $in: {
    description: "Matches a value that matches any element of this list",
    anyOf: [{ type: "array", minItems: 1, items: ref("expectation") }, variable],
  },
  $length: {
    description: "Matches a text or a list of this length: a number, or a matcher for it",
    anyOf: [{ type: "integer", minimum: 0 }, ref("matcher"), variable],
  },
  $contains: {
    description: "Matches a text that contains this text, or a list with an element that matches this",
    allOf: [ref("expectation")],
  },
  $absent: { description: "Matches when the member is absent", anyOf: [{ const: true }, variable] },
  $any: { description: "Matches any value, as long as there is one", anyOf: [{ const: true }, variable] },
  $exact: { description: "Matches only an equal value: no further members, and $… members count as plain" },
};
