import { describe, expect, it } from "vitest";
import { ANSWERS_KEPT, type Attempt, attemptsWith, nextRetryAt } from "./delivery.js";

describe("attemptsWith", () => {
  it("keeps the answers to the newest attempts, and of the others all but the answer", () => {
    const response = { headers: {}, body: "no" };
    const attempt: Attempt = { at: 0, status: 500, latencyMs: 1, error: "status 500", requestHeaders: {}, response };
    let attempts: readonly Attempt[] = [];
    for (let made = 0; made < ANSWERS_KEPT + 4; made++) attempts = attemptsWith({ attempts }, attempt, 1);
    const kept = Array.from({ length: ANSWERS_KEPT }, () => attempt);
    expect(attempts).toEqual([...Array.from({ length: 4 }, () => ({ ...attempt, response: null })), ...kept]);
  });

  it("keeps the newest answer only while a company has very many deliveries", () => {
    const response = { headers: {}, body: "no" };
    const attempt: Attempt = { at: 0, status: 500, latencyMs: 1, error: "status 500", requestHeaders: {}, response };
    const attempts = attemptsWith({ attempts: [attempt, attempt] }, attempt, 2_001);
    expect(attempts.map((one) => one.response)).toEqual([null, null, response]);
  });
});

describe("nextRetryAt", () => {
  const gaps = [10_000, 60_000];

  it.each([
    [1, 11_000],
    [2, 61_000],
    [3, null],
    [9, null],
  ])("after %i failed attempts, the last of which ended at 1000, is %s", (attempts, expected) => {
    expect(nextRetryAt(gaps, attempts, 1_000)).toBe(expected);
  });

  it("is null without gaps, and the same instant for a gap of 0", () => {
    expect(nextRetryAt([], 1, 1_000)).toBeNull();
    expect(nextRetryAt([0], 1, 1_000)).toBe(1_000);
  });
});
