import { expect, it } from "vitest";
import { scene, sighting, storeCharge } from "../../../test/support/sighting.js";
import { createPayAfterDropDetector, createRefundBeyondPaidDetector } from "./charge-mistakes.js";
import { fromXof } from "../../domain/values/money.js";
import type { ProblemCode } from "../../domain/model/problem-codes.js";

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
const watch = (entry: ReturnType<typeof refund>) => createRefundBeyondPaidDetector().see?.(entry, stage);

it("finds a refund of more than what is left, and quotes it", () => {
  const [found] = watch(refund(5001, "refund_exceeds_paid")) ?? [];
  expect(found?.why).toMatch(
    /5001 XOF .* charge-1 \(externalId "order-1"\), of which 8000 XOF .* 3000 XOF refunded: at most 5000 XOF/,
  );
  expect(found?.requests[0]?.summary).toBe('externalId "order-1", amount 5001, answered 400');
});

it("finds it also where the state of the charge was refused first", () => {
  expect(watch(refund(9000, "charge_not_refundable"))).toHaveLength(1);
});

it.each([
  ["one that was done", refund(9000, undefined)],
  ["one that is refused for its state", refund(5000, "charge_not_refundable")],
  ["one without an amount", refund(undefined, "charge_not_refundable")],
  ["one that is no amount", refund(9000, "invalid_request")],
])("is silent about %s", (_, entry) => {
  expect(watch(entry)).toEqual([]);
});

const pay = (problem: "charge_not_payable" | "charge_not_payable_conflict" | "payer_refused" | undefined) =>
  sighting({ method: "POST", path: "/v1/charges/charge-1/pay", operation: "payCharge", status: 422, problem });

const dropped = scene();
storeCharge(dropped, { status: "dropped", droppedReason: "expired" });
const paid = scene();
storeCharge(paid, { status: "paid" });

it.each(["charge_not_payable", "charge_not_payable_conflict"] as const)(
  "finds a payment of a dropped charge (%s)",
  (problem) => {
    const [found] = createPayAfterDropDetector().see?.(pay(problem), dropped) ?? [];
    expect(found?.why).toMatch(/charge-1 \(externalId "order-1"\) .* dropped \(expired\)/);
    expect(found?.requests[0]?.summary).toBe('externalId "order-1", amount 8000, answered 422');
  },
);

it.each([
  ["of a charge that is paid already", pay("charge_not_payable"), paid],
  ["that is refused for its payer", pay("payer_refused"), dropped],
  ["after which the charge was dropped", pay(undefined), dropped],
  ["of a charge that nobody knows", pay("charge_not_payable"), scene()],
])("is silent about a payment %s", (_, entry, stage) => {
  expect(createPayAfterDropDetector().see?.(entry, stage)).toEqual([]);
});
