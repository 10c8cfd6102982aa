import { expect, it } from "vitest";
import { attempt, delivery, payout, scene, storeTransfer } from "../../../../test/support/sighting.js";
import { createWebhookUnacknowledgedDetector } from "./webhook-unacknowledged.js";

const failed = attempt({ status: 500, error: "status 500 is not 2xx" });
const exhausted = delivery({ status: "exhausted", attempts: [failed, failed, failed] });

it("finds a webhook whose retries are used up, with the request that caused it", () => {
  const cause = payout("a");
  const [found] =
    createWebhookUnacknowledgedDetector().attempted?.(failed, exhausted, scene({ causeOf: () => cause })) ?? [];
  expect(found).toMatchObject({ key: "del_1", severity: "high" });
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
