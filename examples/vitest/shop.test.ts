/**
 * A shop against the sandbox, in the test's own process. In a project that has installed the package:
 *
 *     npx vitest run
 */
import { type CompanyHandle, createSandbox } from "business-payments-sandbox";
import { afterAll, describe, test as base } from "vitest";
import { createPayments, PaymentsError } from "./payments.js";
import { openShop, type Shop } from "./shop.js";

const sandbox = await createSandbox({ clock: "2026-01-15T09:00:00Z" });
afterAll(() => sandbox.close());

/** Each test has a company of its own, so that they run at the same time: another balance, another clock, webhooks that no other test sees. */
const test = base.extend<{ company: CompanyHandle; shop: Shop }>({
  company: async ({ onTestFinished }, use) => {
    const company = await sandbox.company();
    onTestFinished(() => company.close());
    await use(company);
  },
  shop: async ({ company, onTestFinished }, use) => {
    const shop = await openShop(createPayments(company), company.secretKey);
    onTestFinished(() => shop.close());
    await company.fetch("/v1/webhooks", { json: { topic: "charges/events", url: shop.url } });
    await use(shop);
  },
});

/** What the customer does on the payment page. */
const pay = (company: CompanyHandle, chargeId: string, msisdn = "+2250700000001") =>
  company.fetch(`/v1/charges/${chargeId}/pay`, { json: { msisdn } });

describe.concurrent("an order", () => {
  test("is shipped once it is paid", async ({ company, shop, expect }) => {
    const order = await shop.checkout("order-1", 10_000);
    expect(shop.order("order-1").status).toBe("unpaid");

    await pay(company, order.chargeId);
    await company.webhooks.waitFor("charges/events", ({ data }) => data.status === "paid");

    expect(shop.order("order-1").status).toBe("shipped");
    expect(company.balance).toBe(10_010_000);
  });

  test("stays unpaid when the payment is declined, and can be paid after that", async ({ company, shop, expect }) => {
    const order = await shop.checkout("order-1", 10_000);

    await pay(company, order.chargeId, "+2250700000002");
    await company.settle();
    expect(shop.order("order-1").status).toBe("unpaid");

    await pay(company, order.chargeId);
    await company.webhooks.waitFor("charges/events", ({ data }) => data.attempts === 2);
    expect(shop.order("order-1").status).toBe("shipped");
  });

  test("is cancelled when nobody pays within an hour", async ({ company, shop, expect }) => {
    const order = await shop.checkout("order-1", 10_000);

    await company.clock.advance("59m59s");
    expect(shop.order("order-1").status).toBe("unpaid");
    await company.clock.advance("1s");
    expect(shop.order("order-1").status).toBe("cancelled");

    expect((await pay(company, order.chargeId)).status).toBe(422);
  });

  test("that comes back is paid back", async ({ company, shop, expect }) => {
    const order = await shop.checkout("order-1", 10_000);
    await pay(company, order.chargeId);

    await shop.takeBack("order-1");
    const { data } = await company.webhooks.waitFor("charges/events", (event) => event.data.status === "refunded");

    expect(data).toMatchObject({ externalId: "order-1", refunded: 10_000 });
    expect(shop.order("order-1").status).toBe("returned");
    expect(company.balance).toBe(10_000_000);
  });

  test("is charged once only: its id is taken", async ({ shop, expect }) => {
    await shop.checkout("order-1", 10_000);
    const again = shop.checkout("order-1", 10_000);
    await expect(again).rejects.toThrow(PaymentsError);
    await expect(again).rejects.toMatchObject({ status: 409 });
  });
});

test("a webhook that somebody else signed is refused", async ({ shop, expect }) => {
  await shop.checkout("order-1", 10_000);
  const body = JSON.stringify({ topic: "charges/events", data: { externalId: "order-1", status: "paid" } });
  const { status } = await fetch(shop.url, { method: "POST", headers: { "x-service-hmac-sha256": "guess" }, body });
  expect(status).toBe(401);
  expect(shop.order("order-1").status).toBe("unpaid");
});
