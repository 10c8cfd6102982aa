import { asClient } from "../../src/calibration/probes/probe.js";
import { loadScenarioFiles } from "../../src/cli/shared/scenario-files.js";
import type { Scenario, Step } from "../../src/scenarios/file/scenario.js";

/**
 * The shipped scenarios, changed so that the client reads its balance at the start and the end, subscribes at the start, and waits for its last webhooks. An
 * archive of the journal has no bodies that are not JSON, so these requests are left out.
 */
export async function loadScenarios(): Promise<readonly Scenario[]> {
  const scenarios = (await loadScenarioFiles(["scenarios"])).map(asClient);
  return scenarios.flatMap((scenario) => {
    const { given, givenPosition: position } = scenario;
    const steps = scenario.steps.filter((step) => step.kind !== "request" || step.rawBody === undefined);
    if (steps.length === 0) return [];
    const subscriptions = given.webhooks.map(({ topic, url }) =>
      request(scenario, "POST /v1/webhooks", { topic, url: url ?? "${receiver}" }),
    );
    const look = request(scenario, "GET /v1/balance", undefined);
    const prelude = [look, ...subscriptions];
    const end: Step = { kind: "settle", settle: true, position };
    return [{ ...scenario, steps: [...prelude, ...steps, end, look], given: { ...given, webhooks: [] } }];
  });
}

function request({ givenPosition }: Scenario, line: string, body: unknown): Step {
  return { kind: "request", request: line, ...(body !== undefined && { body }), position: givenPosition };
}
