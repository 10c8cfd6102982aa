import { expect, it } from "vitest";
import { attempt, delivery, scene } from "../../../../test/support/sighting.js";
import type { Attempt } from "../../../domain/model/delivery.js";
import { createWebhookSlowDetector } from "./webhook-slow.js";

const watch = (change: Partial<Attempt>) =>
  createWebhookSlowDetector().attempted?.(attempt(change), delivery(), scene());

it("finds an acknowledgement slower than 5 s", () => {
  const [found] = watch({ latencyMs: 5_001 }) ?? [];
  expect(found).toMatchObject({ key: "https://shop.test/hooks", severity: "warning" });
  expect(found?.why).toMatch(/was acknowledged after 5\.0 s \(delivery del_1\); 5 s is too slow/);
});

it("finds a time-out, the slowest of all", () => {
  const [found] = watch({ latencyMs: 10_004, status: null, error: "no answer within 10000 ms" }) ?? [];
  expect(found?.why).toContain("was not acknowledged within 10.0 s");
});

it("is silent about one of 5 s, and about a time-out that came earlier", () => {
  expect(watch({ latencyMs: 5_000 })).toEqual([]);
  expect(watch({ latencyMs: 1_000, status: null, error: "no answer within 1000 ms" })).toEqual([]);
});
