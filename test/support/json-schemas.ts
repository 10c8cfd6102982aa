import { Ajv, type ValidateFunction } from "ajv";
import {
  configJsonSchema,
  fixturesJsonSchema,
  type JsonSchema,
  profileJsonSchema,
} from "../../src/sandbox/config/json-schema.js";
import { scenarioJsonSchema } from "../../src/scenarios/file/json-schema.js";

/** The JSON schemas of the files that people write. */
export const schemas = {
  config: configJsonSchema(),
  fixtures: fixturesJsonSchema(),
  profile: profileJsonSchema(),
  scenario: scenarioJsonSchema(),
};

const compile = (schema: JsonSchema): ValidateFunction =>
  new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false }).compile(schema);

export const validators = {
  config: compile(schemas.config),
  fixtures: compile(schemas.fixtures),
  profile: compile(schemas.profile),
  scenario: compile(schemas.scenario),
};
