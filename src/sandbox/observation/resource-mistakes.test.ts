import { describe, expect, it } from "vitest";
import {
  attempt,
  delivery,
  payout,
  scene,
  sighting,
  storeCharge,
  storeTransfer,
} from "../../../test/support/sighting.js";
import { payAfterDrop, refundBeyondPaid, webhookSlow, webhookUnacknowledged } from "./resource-mistakes.js";
import type { Attempt } from "../../domain/model/delivery.js";
import { fromXof } from "../../domain/values/money.js";
import type { ProblemCode } from "../../domain/model/problem-codes.js";

describe("refund-beyond-paid", () => {
  function refund(amount: number | undefined, problem: ProblemCode | undefined) {
    const operation = "refundCharge" as const;
    return sighting({
      method: "POST",
      path: "/v1/charges/charge-1/refund",
      operation,
      body: { amount },
      status: 400,
      problem,
    });
  }

  const stage = scene();
  storeCharge(stage, { status: "refunded_partially", paid: fromXof(8000), refunded: fromXof(3000) });
  const watch = (entry: ReturnType<typeof refund>) => refundBeyondPaid.see?.(entry, stage);

  it("reports a refund of more than what is left, with the amounts", () => {
    const [found] = watch(refund(5001, "refund_exceeds_paid")) ?? [];
    expect(found?.why).toMatch(
      /5001 XOF .* charge-1 \(externalId "order-1"\), of which 8000 XOF .* 3000 XOF refunded: at most 5000 XOF/,
    );
    expect(found?.requests[0]?.summary).toBe('externalId "order-1", amount 5001, answered 400');
  });

  it("reports it also when the charge is refused for its status", () => {
    expect(watch(refund(9000, "charge_not_refundable"))).toHaveLength(1);
  });

  it.each([
    ["a refund that succeeds", refund(9000, undefined)],
    ["a refund of what is left that is refused for the status", refund(5000, "charge_not_refundable")],
    ["a refund without an amount", refund(undefined, "charge_not_refundable")],
    ["an invalid amount", refund(9000, "invalid_request")],
  ])("does not report %s", (_, entry) => {
    expect(watch(entry)).toEqual([]);
  });
});

describe("pay-after-drop", () => {
  const pay = (problem: "charge_not_payable" | "charge_not_payable_conflict" | "payer_refused" | undefined) =>
    sighting({ method: "POST", path: "/v1/charges/charge-1/pay", operation: "payCharge", status: 422, problem });

  const dropped = scene();
  storeCharge(dropped, { status: "dropped", droppedReason: "expired" });
  const paid = scene();
  storeCharge(paid, { status: "paid" });

  it.each(["charge_not_payable", "charge_not_payable_conflict"] as const)(
    "reports a payment of a dropped charge (%s)",
    (problem) => {
      const [found] = payAfterDrop.see?.(pay(problem), dropped) ?? [];
      expect(found?.why).toMatch(/charge-1 \(externalId "order-1"\) .* dropped \(expired\)/);
      expect(found?.requests[0]?.summary).toBe('externalId "order-1", amount 8000, answered 422');
    },
  );

  it.each([
    ["of a paid charge", pay("charge_not_payable"), paid],
    ["that is refused for its payer", pay("payer_refused"), dropped],
    ["that drops the charge", pay(undefined), dropped],
    ["of an unknown charge", pay("charge_not_payable"), scene()],
  ])("does not report a payment %s", (_, entry, stage) => {
    expect(payAfterDrop.see?.(entry, stage)).toEqual([]);
  });
});

describe("webhook-slow", () => {
  const watch = (change: Partial<Attempt>) => webhookSlow.attempted?.(attempt(change), delivery(), scene());

  it("reports an acknowledgement slower than 5 s", () => {
    const [found] = watch({ latencyMs: 5_001 }) ?? [];
    expect(found).toMatchObject({ key: "https://shop.test/hooks" });
    expect(found?.why).toMatch(/was acknowledged after 5\.0 s \(delivery del_1\); 5 s is too slow/);
  });

  it("reports a time-out of more than 5 s", () => {
    const [found] = watch({ latencyMs: 10_004, status: null, error: "no answer within 10000 ms" }) ?? [];
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
    const [found] = webhookUnacknowledged.attempted?.(failed, exhausted, scene({ causeOf: () => cause })) ?? [];
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
    const [found] = webhookUnacknowledged.attempted?.(failed, exhausted, { ...stage, causeOf }) ?? [];
    expect(found?.requests.map(({ id }) => id)).toEqual([cause.id]);
  });

  it("shows no request when the journal has none", () => {
    const [found] = webhookUnacknowledged.attempted?.(failed, exhausted, scene()) ?? [];
    expect(found?.requests).toEqual([]);
  });

  it.each(["pending", "succeeded", "failed", "cancelled"] as const)(
    "does not report a webhook that is %s",
    (status) => {
      expect(webhookUnacknowledged.attempted?.(failed, delivery({ status }), scene())).toEqual([]);
    },
  );
});
