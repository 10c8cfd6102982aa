import { describe, expect, it } from "vitest";
import { detectionsOf, scene, sighting, storeCharge } from "../../../test/support/sighting.js";
import { payAfterDrop, refundBeyondPaid } from "./charge-mistakes.js";
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
  const watch = (entry: ReturnType<typeof refund>) => detectionsOf(refundBeyondPaid.see?.(entry, stage));

  it("reports a refund of more than what is left, with the amounts", () => {
    const [found] = watch(refund(5001, "refund_exceeds_paid"));
    expect(found?.why).toMatch(
      /5001 XOF .* charge-1 \(externalId "order-1"\), of which 8000 XOF .* 3000 XOF refunded: at most 5000 XOF/,
    );
    expect(found?.requests[0]?.summary).toBe('externalId "order-1", amount 5001, answered 400');
  });

  it("reports it even when the refund is refused because of the charge's status", () => {
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
      const [found] = detectionsOf(payAfterDrop.see?.(pay(problem), dropped));
      expect(found?.why).toMatch(/charge-1 \(externalId "order-1"\) .* dropped \(expired\)/);
      expect(found?.requests[0]?.summary).toBe('externalId "order-1", amount 8000, answered 422');
    },
  );

  it("repeats the beginning of a long reason only", () => {
    const long = scene();
    storeCharge(long, { status: "dropped", droppedReason: "r".repeat(1_000_000) });
    const [found] = detectionsOf(payAfterDrop.see?.(pay("charge_not_payable"), long));
    expect(found?.why.length).toBeLessThan(1000);
  });

  it.each([
    ["of a paid charge", pay("charge_not_payable"), paid],
    ["that is refused for its payer", pay("payer_refused"), dropped],
    ["that drops the charge", pay(undefined), dropped],
    ["of an unknown charge", pay("charge_not_payable"), scene()],
  ])("does not report a payment %s", (_, entry, stage) => {
    expect(payAfterDrop.see?.(entry, stage)).toEqual([]);
  });
});
