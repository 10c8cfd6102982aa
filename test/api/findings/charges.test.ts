import { describe, expect, it } from "vitest";
import { startLive } from "../../support/live.js";
import { findingsOf, kindsOf } from "./findings.js";

describe("refund-beyond-paid", () => {
  it("reports a refund of more than was paid, and of more than is left", async () => {
    const live = await startLive();
    const charge = await live.createCharge({ amount: 8000, externalId: "order-1" });
    await live.ok("POST", `/v1/charges/${charge.id}/pay`);
    expect((await live.http("POST", `/v1/charges/${charge.id}/refund`, { amount: 8001 })).status).toBe(400);
    await live.ok("POST", `/v1/charges/${charge.id}/refund`, { amount: 5000 });
    expect((await live.http("POST", `/v1/charges/${charge.id}/refund`, { amount: 4000 })).status).toBe(400);
    const [first, second, ...rest] = await findingsOf(live);
    expect(rest).toEqual([]);
    expect([first?.kind, second?.kind]).toEqual(["refund-beyond-paid", "refund-beyond-paid"]);
    expect(first?.why).toContain("8001 XOF of the charge");
    expect(second?.why).toContain("at most 3000 XOF");
    expect(second?.requests).toEqual([
      {
        id: "req_5",
        method: "POST",
        path: `/v1/charges/${charge.id}/refund`,
        summary: 'externalId "order-1", amount 4000, answered 400',
      },
    ]);
  });

  it("does not report a valid refund, or one of all that is left", async () => {
    const live = await startLive();
    const charge = await live.createCharge({ amount: 8000 });
    await live.ok("POST", `/v1/charges/${charge.id}/pay`);
    await live.ok("POST", `/v1/charges/${charge.id}/refund`, { amount: 5000 });
    await live.ok("POST", `/v1/charges/${charge.id}/refund`);
    expect(await kindsOf(live)).toEqual([]);
  });
});

describe("pay-after-drop", () => {
  it.each([422, 409])("reports a payment of a dropped charge, refused with %i", async (payNotDue) => {
    const live = await startLive({ profile: { charges: { payNotDue } } });
    const charge = await live.createCharge({ externalId: "order-1" });
    await live.advance("1h");
    expect((await live.http("POST", `/v1/charges/${charge.id}/pay`)).status).toBe(payNotDue);
    const [found] = await findingsOf(live);
    expect(found).toMatchObject({ kind: "pay-after-drop", severity: "warning" });
    expect(found?.why).toContain(`${charge.id} (externalId "order-1")`);
    expect(found?.requests.map(({ id }) => id)).toEqual(["req_2"]);
  });

  it("does not report a charge that was paid in time, or twice", async () => {
    const live = await startLive();
    const charge = await live.createCharge();
    await live.ok("POST", `/v1/charges/${charge.id}/pay`);
    expect((await live.http("POST", `/v1/charges/${charge.id}/pay`)).status).toBe(422);
    expect(await kindsOf(live)).toEqual([]);
  });
});
