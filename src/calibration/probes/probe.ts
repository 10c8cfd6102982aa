import { findOperation, operations } from "../../contract/operations.js";
import type { Scenario, Step } from "../../scenarios/file/scenario.js";
import { countBy } from "../../kernel/collections.js";

/** A scenario that is played against a real service to learn what it does. */
export interface Probe {
  /** As a client plays it. */
  readonly scenario: Scenario;
  readonly requests: number;
  /** What it leaves behind there, at most: `2 charges`. */
  readonly creates: readonly string[];
  /** Whether it pays, refunds or transfers. Such a probe runs only when the user asks for it. */
  readonly movesMoney: boolean;
}

export function createProbe(shipped: Scenario): Probe {
  const scenario = asClient(shipped);
  const counts = countBy(requestsOf(scenario.steps), (request) => request);
  const made = Object.entries(effects).flatMap(([request, { one, many }]) => {
    const count = counts.get(request) ?? 0;
    return count === 0 ? [] : [count === 1 ? one : `${count} ${many}`];
  });
  const movesMoney = Object.entries(effects).some(([request, effect]) => effect.movesMoney && counts.has(request));
  return { scenario, requests: [...counts.values()].reduce((sum, count) => sum + count, 0), creates: made, movesMoney };
}

/** A scenario as a client plays it against any service: without expectations of answers, and without calls of the control API. */
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

const effects: Readonly<Record<string, { one: string; many: string; movesMoney: boolean }>> = {
  "POST /v1/charges": { one: "a charge", many: "charges", movesMoney: false },
  "POST /v1/charges/:id/pay": { one: "a payment", many: "payments", movesMoney: true },
  "POST /v1/charges/:id/refund": { one: "a refund", many: "refunds", movesMoney: true },
  "POST /v1/transactions": { one: "a transfer", many: "transfers", movesMoney: true },
  "POST /v1/transactions/batch": { one: "a batch of transfers", many: "batches of transfers", movesMoney: true },
  "POST /v1/webhooks": { one: "a webhook subscription", many: "webhook subscriptions", movesMoney: false },
};

/** Requests such as `POST /v1/charges/:id/pay`, each as often as it is sent. */
function* requestsOf(steps: readonly Step[]): Generator<string> {
  for (const step of steps) {
    if ("steps" in step) {
      const times = step.kind === "repeat" ? step.repeat.times : 1;
      for (let time = 0; time < times; time++) yield* requestsOf(step.steps);
    } else if (step.kind === "request") yield templateOf(step.request);
    else if (step.kind === "eventually") yield templateOf(step.eventually.request);
  }
}

function templateOf(request: string): string {
  const [method = "", path = ""] = request.replace(/\?.*/s, "").split(" ");
  const id = findOperation(method, path);
  return id === undefined ? request : `${method} ${operations[id].path}`;
}
