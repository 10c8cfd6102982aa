import { expect, it } from "vitest";
import { scene, sighting, storeCharge } from "../../../../test/support/sighting.js";
import { createPayAfterDropDetector } from "./pay-after-drop.js";

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
