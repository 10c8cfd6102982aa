import { Ajv, type ValidateFunction } from "ajv";
import {
  configJsonSchema,
  fixturesJsonSchema,
  type JsonSchema,
  profileJsonSchema,
} from "../../src/sandbox/config/json-schema.js";
import { exploreReport } from "../../src/experiments/explore/report-schema.js";
import { document, renderSchema } from "../../src/sandbox/config/json-schema.js";
import { calibrationReport } from "../../src/calibration/report/report-schema.js";
import { varyReport } from "../../src/experiments/vary/report-schema.js";
import { scenarioJsonSchema } from "../../src/scenarios/file/json-schema.js";

/** The JSON schemas of the files that people write, and of reports that programs read. */
export const schemas = {
  config: configJsonSchema(),
  fixtures: fixturesJsonSchema(),
  profile: profileJsonSchema(),
  scenario: scenarioJsonSchema(),
  "explore-report": document("Report of sandbox explore", renderSchema(exploreReport), {}),
  "calibrate-report": document("Report of sandbox calibrate", renderSchema(calibrationReport), {}),
  "vary-report": document("Report of sandbox vary", renderSchema(varyReport), {}),
};

const compile = (schema: JsonSchema): ValidateFunction =>
  new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false }).compile(schema);

export const validators = {
  config: compile(schemas.config),
  fixtures: compile(schemas.fixtures),
  profile: compile(schemas.profile),
  scenario: compile(schemas.scenario),
  "explore-report": compile(schemas["explore-report"]),
  "calibrate-report": compile(schemas["calibrate-report"]),
  "vary-report": compile(schemas["vary-report"]),
};
