import { describe, expect, it } from "vitest";
import { type Attempt, type Delivery, nextRetryAt } from "../../../../domain/model/delivery.js";
import { type RetryStep, retryPlanOf } from "./delivery-facts.js";

const gaps = [10_000, 60_000, 300_000];

function deliveryWith(attempts: number, change: Partial<Delivery>): Delivery {
  const made = Array.from({ length: attempts }, (_, index): Attempt => {
    return { at: index, status: 503, latencyMs: 1, error: "status 503 is not 2xx", requestHeaders: {}, response: null };
  });
  return {
    id: "del_1",
    seq: 1,
    createdAt: 0,
    eventId: "evt_1",
    subscriptionId: "sub",
    topic: "charges/events",
    url: "http://hook.test/",
    resource: "c",
    resourceKind: "charge",
    body: "{}",
    copy: 0,
    turn: 1,
    effect: null,
    status: "pending",
    nextAttemptAt: null,
    attempts: made,
    ...change,
  };
}

const summaryOf = (steps: readonly RetryStep[]) =>
  steps.map((step) => `${step.number} ${step.kind} ${step.kind === "made" ? step.attempt.at : step.at}`);

describe("retryPlanOf", () => {
  it("lists past attempts, the next one, and those that follow if it fails", () => {
    expect(summaryOf(retryPlanOf(deliveryWith(1, { nextAttemptAt: 10_000 }), gaps, true))).toEqual([
      "1 made 0",
      "2 planned 10000",
      "3 possible 70000",
      "4 possible 370000",
    ]);
  });

  it("plans what the dispatcher plans", () => {
    const steps = retryPlanOf(deliveryWith(0, { nextAttemptAt: 5 }), gaps, true);
    let at: number | null = 5;
    for (const step of steps) {
      expect(step).toMatchObject({ at });
      at = at === null ? null : nextRetryAt(gaps, step.number, at);
    }
    expect(at).toBeNull();
  });

  it("has no time for an attempt in flight, and nothing after it", () => {
    expect(summaryOf(retryPlanOf(deliveryWith(0, {}), gaps, true))).toEqual(["1 planned null"]);
  });

  it("plans no retry for a deleted subscription", () => {
    expect(summaryOf(retryPlanOf(deliveryWith(1, { nextAttemptAt: 9 }), gaps, false))).toEqual([
      "1 made 0",
      "2 planned 9",
    ]);
  });

  it.each(["succeeded", "exhausted", "cancelled", "failed"] as const)("plans nothing once it %s", (status) => {
    expect(summaryOf(retryPlanOf(deliveryWith(2, { status }), gaps, true))).toEqual(["1 made 0", "2 made 1"]);
  });

  it("continues after more manual attempts than the schedule has", () => {
    expect(summaryOf(retryPlanOf(deliveryWith(4, { nextAttemptAt: 7 }), gaps, true)).slice(4)).toEqual(["5 planned 7"]);
  });
});
