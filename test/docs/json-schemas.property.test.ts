import { describe, expect, it } from "vitest";
import { parseSource } from "../../src/adapters/files/source.js";
import { UsageError } from "../../src/kernel/messages/problem.js";
import { parseScenario } from "../../src/scenarios/file/parse-scenario.js";
import fc, { runs } from "../support/fast-check.js";
import { validators } from "../support/json-schemas.js";
import { mutations } from "../support/mutations.js";

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
