import type { Scenario, Step } from "../../scenarios/file/scenario.js";

/** A scenario as a client plays it against any service: it expects nothing of an answer, and it reaches into no service. */
export function asClient(scenario: Scenario): Scenario {
  return { ...scenario, steps: scenario.steps.flatMap(stepOfClient), given: { ...scenario.given, rules: [] } };
}

function stepOfClient(step: Step): Step[] {
  switch (step.kind) {
    case "parallel":
    case "repeat":
    case "use":
      return [{ ...step, steps: step.steps.flatMap(stepOfClient) }];
    case "request":
      return step.request.includes(" /_sandbox") || step.as !== undefined ? [] : [{ ...step, expect: undefined }];
    case "advance":
      return [{ ...step, expect: undefined }];
    case "settle":
    case "eventually":
    case "wait":
      return [step];
    case "clock":
    case "rule":
    case "webhook":
    case "noWebhook":
      return [];
  }
}
