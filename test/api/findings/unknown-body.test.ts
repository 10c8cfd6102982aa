import { describe, expect, it } from "vitest";
import { startLive } from "../../support/live.js";
import { findingsOf, kindsOf } from "./findings.js";

async function payCharge(profile = {}) {
  const live = await startLive({ profile });
  const charge = await live.createCharge({ amount: 8000, externalId: "order-1" });
  await live.ok("POST", `/v1/charges/${charge.id}/pay`);
  return { live, refunds: `/v1/charges/${charge.id}/refund` };
}

describe("unknown-body", () => {
  it("reports a refund whose body has other members, and that it refunded everything", async () => {
    const { live, refunds } = await payCharge();
    expect((await live.http("POST", refunds, { value: 5 })).body).toMatchObject({ refunded: 8000 });
    const [found, ...rest] = await findingsOf(live);
    expect(rest).toEqual([]);
    expect(found).toMatchObject({ kind: "unknown-body", severity: "warning" });
    expect(found?.why).toContain('a body with "value" and without "amount"');
    expect(found?.fix).toContain("refunds.amountField");
    expect(found?.requests.map(({ id }) => id)).toEqual(["req_3"]);
  });

  it("reports a payment, and the same members once only", async () => {
    const live = await startLive();
    for (let index = 0; index < 2; index++) {
      const { id } = await live.createCharge({ externalId: `order-${index}` });
      await live.ok("POST", `/v1/charges/${id}/pay`, { phone: "+2250700000002" });
    }
    const [found, ...rest] = await findingsOf(live);
    expect(rest).toEqual([]);
    expect(found?.why).toContain('"phone"');
  });

  it("does not report no body, an empty one, or one with the known member and others", async () => {
    const { live, refunds } = await payCharge();
    await live.ok("POST", refunds, { amount: 1, reason: "damaged" });
    await live.ok("POST", refunds, {});
    expect(await kindsOf(live)).toEqual([]);
  });

  it("knows the name from the profile, and does not report a refused body", async () => {
    const { live, refunds } = await payCharge({ refunds: { amountField: "value" }, unknownBody: "reject" });
    await live.ok("POST", refunds, { value: 5 });
    expect((await live.http("POST", refunds, { amount: 5 })).status).toBe(400);
    expect(await kindsOf(live)).toEqual([]);
  });

  it("reads the amount under the name from the profile when a refund is more than was paid", async () => {
    const { live, refunds } = await payCharge({ refunds: { amountField: "value", aboveLeft: 422 } });
    expect((await live.http("POST", refunds, { value: 8001 })).status).toBe(400);
    await live.ok("POST", refunds, { value: 5000 });
    expect((await live.http("POST", refunds, { value: 4000 })).status).toBe(422);
    expect(await kindsOf(live)).toEqual(["refund-beyond-paid", "refund-beyond-paid"]);
  });
});
