import { expect, it } from "vitest";
import { attempt, delivery, payout, scene, storeTransfer } from "../../../test/support/sighting.js";
import { createWebhookSlowDetector, createWebhookUnacknowledgedDetector } from "./webhook-mistakes.js";
import type { Attempt } from "../../domain/model/delivery.js";

const watch = (change: Partial<Attempt>) =>
  createWebhookSlowDetector().attempted?.(attempt(change), delivery(), scene());

it("finds an acknowledgement slower than 5 s", () => {
  const [found] = watch({ latencyMs: 5_001 }) ?? [];
  expect(found).toMatchObject({ key: "https://shop.test/hooks" });
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

const failed = attempt({ status: 500, error: "status 500 is not 2xx" });
const exhausted = delivery({ status: "exhausted", attempts: [failed, failed, failed] });

it("finds a webhook whose retries are used up, with the request that caused it", () => {
  const cause = payout("a");
  const [found] =
    createWebhookUnacknowledgedDetector().attempted?.(failed, exhausted, scene({ causeOf: () => cause })) ?? [];
  expect(found).toMatchObject({ key: "del_1" });
  expect(found?.why).toMatch(
    /transactions\/started of txn_transfer-1 to https:\/\/shop.test\/hooks .*all 3 attempts failed.*"status 500 is not 2xx" \(delivery del_1\)/,
  );
  expect(found?.requests).toEqual([
    expect.objectContaining({ id: cause.id, method: "POST", path: "/v1/transactions" }),
  ]);
});

it("shows the request that made the resource when none made the event itself", () => {
  const stage = scene();
  storeTransfer(stage, { reference: "a", status: "completed" });
  const cause = payout("a");
  const causeOf = ({ id }: { id: string }) => (id === "transfer-1" ? cause : undefined);
  const [found] = createWebhookUnacknowledgedDetector().attempted?.(failed, exhausted, { ...stage, causeOf }) ?? [];
  expect(found?.requests.map(({ id }) => id)).toEqual([cause.id]);
});

it("shows no request when the journal knows none", () => {
  const [found] = createWebhookUnacknowledgedDetector().attempted?.(failed, exhausted, scene()) ?? [];
  expect(found?.requests).toEqual([]);
});

it.each(["pending", "succeeded", "failed", "cancelled"] as const)("is silent about one that is %s", (status) => {
  expect(createWebhookUnacknowledgedDetector().attempted?.(failed, delivery({ status }), scene())).toEqual([]);
});
