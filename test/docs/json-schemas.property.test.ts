import { Ajv, type ValidateFunction } from "ajv";
import { describe, expect, it } from "vitest";
import { parseSource } from "../../src/adapters/files/source.js";
import { UsageError } from "../../src/kernel/messages/problem.js";
import {
  type JsonSchema,
  configJsonSchema,
  fixturesJsonSchema,
  profileJsonSchema,
} from "../../src/sandbox/config/json-schema.js";
import fc, { runs } from "../support/fast-check.js";
import { mutations } from "../support/mutations.js";
import { parseScenario } from "../../src/scenarios/file/parse-scenario.js";
import { scenarioJsonSchema } from "../../src/scenarios/file/json-schema.js";

const schemas = {
  config: configJsonSchema(),
  fixtures: fixturesJsonSchema(),
  profile: profileJsonSchema(),
  scenario: scenarioJsonSchema(),
};

const compile = (schema: JsonSchema): ValidateFunction =>
  new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false }).compile(schema);
const validators = {
  config: compile(schemas.config),
  fixtures: compile(schemas.fixtures),
  profile: compile(schemas.profile),
  scenario: compile(schemas.scenario),
};

describe("the schema of scenarios", () => {
  it("accepts every scenario that the sandbox accepts", async () => {
    let accepted = 0;
    const refuse = (): Promise<never> => Promise.reject(new UsageError("file", "There is no other file."));
    await fc.assert(
      fc.asyncProperty(mutations, async (written) => {
        const source = parseSource(JSON.stringify(written), "any.json");
        const scenario = await parseScenario(source, refuse).catch(() => undefined);
        if (scenario === undefined) return;
        accepted++;
        validators.scenario(source.value);
        expect(validators.scenario.errors).toBeNull();
      }),
      { numRuns: runs(300) },
    );
    expect(accepted).toBeGreaterThan(0);
  });
});
