import { describe, expect, it } from "vitest";
import type { Charge, ChargeStatus } from "../../../../domain/model/charge.js";
import type { DomainEvent, EventType } from "../../../../domain/model/events.js";
import { visitsOfCharge } from "./visits.js";

const charge: Charge = {
  id: "c",
  seq: 1,
  createdAt: 1,
  externalId: "order-1",
  description: "Shoes",
  amount: 1,
  feeRate: 0,
  fee: 0,
  status: "due",
  droppedReason: null,
  paid: 0,
  refunded: 0,
  attempts: 0,
  metadata: {},
  paymentUrl: "",
  onCompletedRedirectionUrl: "",
  onCanceledRedirectionUrl: "",
  entries: [],
  expiresAt: 9,
  silent: false,
};

function eventsOf(...told: readonly [type: EventType, status: ChargeStatus, at: number][]): DomainEvent[] {
  return told.map(([type, status, at], index) => {
    const subject = { kind: "charge", charge: { ...charge, status } } as const;
    return { id: `evt_${index}`, seq: index + 2, at, type, resource: charge.id, subject };
  });
}

describe("the visits of a charge", () => {
  it("are what its events tell", () => {
    const events = eventsOf(
      ["charge.created", "due", 1],
      ["charge.payment_failed", "due", 2],
      ["charge.paid", "paid", 3],
    );
    expect(visitsOfCharge({ ...charge, status: "paid" }, events)).toEqual([
      { status: "due", at: 1 },
      { status: "due", at: 2 },
      { status: "paid", at: 3 },
    ]);
  });

  it("know of no move when a payment came too late", () => {
    const events = eventsOf(
      ["charge.created", "due", 1],
      ["charge.dropped", "dropped", 2],
      ["charge.payment_lost", "dropped", 3],
    );
    const visits = visitsOfCharge({ ...charge, status: "dropped" }, events);
    expect(visits.map(({ at }) => at)).toEqual([1, 2]);
  });

  it("begin with its creation and end where it is, also when events were forgotten", () => {
    expect(visitsOfCharge({ ...charge, status: "refunded" }, [])).toEqual([
      { status: "due", at: 1 },
      { status: "refunded", at: null },
    ]);
    const late = eventsOf(["charge.refunded", "refunded", 8]);
    expect(visitsOfCharge({ ...charge, status: "refunded" }, late)).toEqual([
      { status: "due", at: 1 },
      { status: "refunded", at: 8 },
    ]);
  });
});
