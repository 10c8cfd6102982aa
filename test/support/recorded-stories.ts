import { asClient } from "../../src/calibration/probes/as-client.js";
import { loadScenarioFiles } from "../../src/cli/shared/scenario-files.js";
import { createApp } from "../../src/http/server/app.js";
import { createInProcessFetch } from "../../src/http/server/in-process-fetch.js";
import type { Sandbox } from "../../src/sandbox/sandbox.js";
import type { Scenario, Step } from "../../src/scenarios/file/scenario.js";

export function fetchTo(sandbox: Sandbox): (request: Request) => Promise<Response> {
  const app = createApp(sandbox);
  return createInProcessFetch(() => app);
}

/**
 * The shipped scenarios as clients play them who look at their balance and subscribe at the beginning, and whose last webhooks are waited for. An archive of
 * the journal has no bodies that are not JSON, so these requests are left out.
 */
export async function loadStories(): Promise<readonly Scenario[]> {
  const scenarios = (await loadScenarioFiles(["scenarios"])).map(asClient);
  return scenarios.flatMap((scenario) => {
    const { given, givenPosition: position } = scenario;
    const steps = scenario.steps.filter((step) => step.kind !== "request" || step.rawBody === undefined);
    if (steps.length === 0) return [];
    const subscriptions = given.webhooks.map(({ topic, url }) =>
      request(scenario, "POST /v1/webhooks", { topic, url: url ?? "${receiver}" }),
    );
    const prelude = [request(scenario, "GET /v1/balance", undefined), ...subscriptions];
    const end: Step = { kind: "settle", settle: true, position };
    return [{ ...scenario, steps: [...prelude, ...steps, end], given: { ...given, webhooks: [] } }];
  });
}

function request({ givenPosition }: Scenario, line: string, body: unknown): Step {
  return { kind: "request", request: line, ...(body !== undefined && { body }), position: givenPosition };
}
