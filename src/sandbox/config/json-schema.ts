import * as z from "zod";
import { groupOf, settings } from "../../domain/profile/settings.js";
import type { Setting } from "../../domain/profile/setting.js";
import { configSchema, fixturesSchema } from "./config-schema.js";
import { profile } from "../state/file-fields.js";

export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * The published JSON Schemas, with which editors complete and check what a user writes. They are generated from the schemas that validate. Draft 7 is the
 * version that the YAML language server supports best.
 */
export function configJsonSchema(): JsonSchema {
  return document("Configuration of sandbox start", renderSchema(configSchema("")), { profile: profileDefinition() });
}

export function fixturesJsonSchema(): JsonSchema {
  return document("Fixtures of the sandbox", renderSchema(fixturesSchema), { profile: profileDefinition() });
}

export function profileJsonSchema(): JsonSchema {
  return document("Profile of the sandbox", profileDefinition(), {});
}

export function document(title: string, schema: JsonSchema, definitions: JsonSchema): JsonSchema {
  const { $schema: _, ...body } = schema;
  const rest = Object.keys(definitions).length === 0 ? {} : { $defs: definitions };
  return { $schema: "http://json-schema.org/draft-07/schema#", title, ...body, ...rest };
}

/** `references`: schemas that JSON Schema cannot express, and the names of the definitions that replace them. */
export function renderSchema(schema: z.ZodType, references: ReadonlyMap<z.ZodType, string> = new Map()): JsonSchema {
  const rendered = z.toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      const all: ReadonlyMap<unknown, string> = new Map<unknown, string>([[profile, "profile"], ...references]);
      const name = all.get(zodSchema);
      // In draft 7, keywords beside a $ref are ignored.
      if (name !== undefined) jsonSchema.allOf = [{ $ref: `#/$defs/${name}` }];
      // zod leaves examples out where a text is transformed, because it takes them for examples of the output.
      const examples = z.globalRegistry.get(zodSchema)?.["examples"];
      if (Array.isArray(examples)) jsonSchema.examples = examples;
    },
  });
  const { $schema: _, ...body } = rendered;
  return body;
}

/** Every setting in its group, with its default and alternatives. The value null means the default. */
export function profileDefinition(): JsonSchema {
  const groups = [...new Set(settings.map(({ path }) => groupOf(path)))];
  const properties = groups.map((group) => {
    const members = settings.filter(({ path }) => groupOf(path) === group);
    const [only] = members;
    return [group, only?.path === group ? settingSchema(only) : groupSchema(members)];
  });
  return { type: ["object", "null"], properties: Object.fromEntries(properties), additionalProperties: false };
}

function groupSchema(members: readonly Setting[]): JsonSchema {
  const properties = members.map((setting) => [
    setting.path.slice(setting.path.indexOf(".") + 1),
    settingSchema(setting),
  ]);
  return { type: ["object", "null"], properties: Object.fromEntries(properties), additionalProperties: false };
}

function settingSchema(setting: Setting): JsonSchema {
  const { summary, alternatives } = setting;
  const lines = alternatives.map(({ value, form, effect }) => {
    return `- ${form === true && typeof value === "string" ? value : JSON.stringify(value)}: ${effect}`;
  });
  return {
    description: [summary, ...lines].join("\n"),
    default: setting.default,
    anyOf: [renderSchema(setting.schema), { type: "null" }],
  };
}
