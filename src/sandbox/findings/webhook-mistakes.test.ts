import { describe, expect, it } from "vitest";
import { attempt, delivery, detectionsOf, payout, scene, storeTransfer } from "../../../test/support/sighting.js";
import { webhookSlow, webhookUnacknowledged } from "./webhook-mistakes.js";
import type { Attempt } from "../../domain/model/delivery.js";

describe("webhook-slow", () => {
  const watch = (change: Partial<Attempt>) =>
    detectionsOf(webhookSlow.attempted?.(attempt(change), delivery(), scene()));

  it("reports an acknowledgement slower than 5 s", () => {
    const [found] = watch({ latencyMs: 5_001 });
    expect(found).toMatchObject({ key: "https://shop.test/hooks" });
    expect(found?.why).toMatch(/was acknowledged after 5\.0 s \(delivery del_1\); 5 s is too slow/);
  });

  it("reports a time-out of more than 5 s", () => {
    const [found] = watch({ latencyMs: 10_004, status: null, error: "no answer within 10000 ms" });
    expect(found?.why).toContain("was not acknowledged within 10.0 s");
  });

  it("does not report 5 s, or a shorter time-out", () => {
    expect(watch({ latencyMs: 5_000 })).toEqual([]);
    expect(watch({ latencyMs: 1_000, status: null, error: "no answer within 1000 ms" })).toEqual([]);
  });
});

describe("webhook-unacknowledged", () => {
  const failed = attempt({ status: 500, error: "status 500 is not 2xx" });
  const exhausted = delivery({ status: "exhausted", attempts: [failed, failed, failed] });

  it("reports a webhook after its last retry, with the request that caused it", () => {
    const cause = payout("a");
    const [found] = detectionsOf(webhookUnacknowledged.attempted?.(failed, exhausted, scene({ causeOf: () => cause })));
    expect(found).toMatchObject({ key: "del_1" });
    expect(found?.why).toMatch(
      /transactions\/started of txn_transfer-1 to https:\/\/shop.test\/hooks .*all 3 attempts failed.*"status 500 is not 2xx" \(delivery del_1\)/,
    );
    expect(found?.requests).toEqual([
      expect.objectContaining({ id: cause.id, method: "POST", path: "/v1/transactions" }),
    ]);
  });

  it("shows the request that created the resource when no request caused the event", () => {
    const stage = scene();
    storeTransfer(stage, { reference: "a", status: "completed" });
    const cause = payout("a");
    const causeOf = ({ id }: { id: string }) => (id === "transfer-1" ? cause : undefined);
    const [found] = detectionsOf(webhookUnacknowledged.attempted?.(failed, exhausted, { ...stage, causeOf }));
    expect(found?.requests.map(({ id }) => id)).toEqual([cause.id]);
  });

  it.each([401, 403])("points to the signature and to the audit after %i", (status) => {
    const refused = attempt({ status, error: `status ${status} is not 2xx` });
    const refusedAlways = delivery({ status: "exhausted", attempts: [refused] });
    const [found] = detectionsOf(webhookUnacknowledged.attempted?.(refused, refusedAlways, scene()));
    expect(found?.fix).toMatch(/signature.*`npx business-payments-sandbox audit URL`/);
    const [crashed] = detectionsOf(webhookUnacknowledged.attempted?.(failed, exhausted, scene()));
    expect(crashed?.fix).toBeUndefined();
  });

  it("shows no request when the journal has none", () => {
    const [found] = detectionsOf(webhookUnacknowledged.attempted?.(failed, exhausted, scene()));
    expect(found?.requests).toEqual([]);
  });

  it.each(["pending", "succeeded", "failed", "cancelled"] as const)(
    "does not report a webhook that is %s",
    (status) => {
      expect(webhookUnacknowledged.attempted?.(failed, delivery({ status }), scene())).toEqual([]);
    },
  );
});
