import { describe, expect, it } from "vitest";
import { expectAccessible, expectFits, expectWellLaidOut, useBrowser } from "../support/browser.js";
import type { Live } from "../support/live.js";
import { dashboardIn } from "../support/open-dashboard.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { transferRequest } from "../support/requests.js";

const browser = useBrowser();

const openDashboard = dashboardIn(browser);

/** A company in which something of everything has happened; the paths of its pages. */
async function fill(live: Live, receiver: Receiver): Promise<readonly string[]> {
  await live.subscribe("charges/events", receiver.url);
  await live.subscribe("transactions/completed", `${receiver.origin}/down`);
  receiver.reply(({ path }) => (path === "/down" ? { status: 503, body: "later" } : {}));
  const due = await live.createCharge({ externalId: "order-1", description: `<b>"Shoes" & more</b>` });
  const paid = await live.createCharge({ externalId: "order-2-with-a-name-that-is-quite-long-for-a-narrow-screen" });
  await live.ok("POST", `/v1/charges/${paid.id}/pay`, { msisdn: "+2250700000006" });
  await live.advance("3m");
  await live.ok("POST", `/v1/charges/${paid.id}/pay`);
  await live.ok("POST", `/v1/charges/${paid.id}/refund`, { amount: 2_500 });
  await live.http("POST", "/v1/charges", { amount: -1 });
  await live.control("POST", "/rules", {
    name: "down",
    on: "request",
    then: { fault: "reset", commit: true },
    times: 1,
  });
  await live.http("POST", "/v1/transactions", transferRequest()).catch(() => undefined);
  await live.control("POST", "/rules", {
    on: "delivery",
    match: { data: { status: "dropped" } },
    then: { truncate: 41 },
  });
  const cut = await live.createCharge({ externalId: "é" });
  await live.control("POST", `/charges/${cut.id}/drop`);
  const transactions = ["+2250700000001", "+2250700000002", "+2250700000003"].map((msisdn) =>
    transferRequest({ msisdn }),
  );
  const batch = await live.ok("POST", "/v1/transactions/batch", { transactions });
  await live.control("PUT", "/customers/+2250102030405", { firstName: "Awa", lastName: "Koné" });
  await live.advance("5s");
  const journal = (await live.control("GET", "/requests?limit=100")).body.data;
  return [
    ...lists,
    `/charges/${due.id}`,
    `/charges/${paid.id}`,
    `/transfers/${batch.transactions[0].id}`,
    `/transfers/${batch.transactions[2].id}`,
    `/batches/${batch.id}`,
    ...live.deliveries().map(({ id }) => `/deliveries/${id}`),
    ...journal.slice(-4).map(({ id }: { id: string }) => `/requests/${id}`),
    "/charges?q=order&status=due",
  ];
}

const lists = ["", "/charges", "/transfers", "/batches", "/customers", "/ledger", "/subscriptions", "/deliveries"];

describe("the data pages", () => {
  it("are accessible in light and dark, empty and full, and fit a phone", { timeout: 900_000 }, async (test) => {
    const { live, page, goto } = await openDashboard(test, "", { world: { forges: true } });
    for (const path of lists) {
      await goto(path);
      await expectAccessible(page);
    }
    for (const path of await fill(live, await startReceiver())) {
      await goto(path);
      for (const summary of await page.locator("main summary:visible").all()) await summary.click();
      await expectWellLaidOut(page);
      await page.setViewportSize({ width: 320, height: 800 });
      await expectFits(page);
    }
  });

  it("link to each other: activity, charge, delivery, and back to the list", async (test) => {
    const receiver = await startReceiver();
    const { live, page } = await openDashboard(test, "");
    await live.subscribe("charges/events", receiver.url);
    const { id } = await live.createCharge({ externalId: "order-77" });
    await live.ok("POST", `/v1/charges/${id}/pay`);
    await live.settle();
    await page.getByRole("link", { name: "order-77" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Charge order-77" }).waitFor();
    await page.getByRole("link", { name: "charges/events" }).click();
    await page.getByRole("heading", { level: 1, name: "Webhook charges/events" }).waitFor();
    await page.getByRole("link", { name: "All deliveries about it" }).click();
    await page.locator("main").getByRole("searchbox").waitFor();
    expect(await page.locator("main").getByRole("searchbox").inputValue()).toBe(id);
    expect(await page.locator("tbody tr").count()).toBe(1);
  });

  it("are searched and filtered by keyboard alone", async (test) => {
    const { live, page, goto } = await openDashboard(test, "");
    for (const externalId of ["order-1", "order-2", "other"]) await live.createCharge({ externalId });
    await goto("/charges");
    await page.locator("main").getByRole("searchbox").focus();
    await page.keyboard.type("order");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=order/);
    expect(await page.locator("tbody tr").count()).toBe(2);
    await page.getByRole("link", { name: "dropped" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/status=dropped/);
    expect(page.url()).toContain("q=order");
    await page.getByText("No charge was found.").waitFor();
    await page.getByRole("link", { name: "Clear" }).click();
    await page.waitForURL((url) => !url.searchParams.has("q"));
    expect(page.url()).toContain("status=dropped");
  });
});

describe("without reloading", () => {
  it("the activity is updated, and what the reader has opened stays open", async (test) => {
    const receiver = await startReceiver({ status: 503 });
    const { live, page } = await openDashboard(test, "");
    await page.evaluate("window.loadedOnce = true");
    await page.getByText("No request so far.").waitFor();
    await live.subscribe("charges/events", receiver.url);
    const { id } = await live.createCharge({ externalId: "order-77" });
    await page.getByText("charge created").waitFor();
    await live.ok("POST", `/v1/charges/${id}/pay`);
    await page.getByText("charge paid").waitFor();
    await page.getByText("status 503 is not 2xx").waitFor();
    receiver.reply({});
    await live.advance("10s");
    await page.getByText(/answered 200 in .*, 2 attempts/).waitFor();
    expect(await page.evaluate("window.loadedOnce")).toBe(true);
  });

  it("a charge and a delivery's attempts are updated", async (test) => {
    const receiver = await startReceiver({ status: 500 });
    const { live, page, goto } = await openDashboard(test, "");
    await live.subscribe("charges/events", receiver.url);
    const { id } = await live.createCharge();
    await goto(`/charges/${id}`);
    await page.evaluate("window.loadedOnce = true");
    await page.locator("details#metadata summary").click();
    const status = page.locator(".facts > div", { hasText: "Status" });
    await status.filter({ hasText: "due" }).waitFor();
    await live.ok("POST", `/v1/charges/${id}/pay`);
    await status.filter({ hasText: "paid" }).waitFor();
    await page.getByRole("heading", { name: "Ledger entries" }).waitFor();
    await page.locator("tr[id^=led_]").waitFor();
    expect(await page.locator("details#metadata").getAttribute("open")).toBe("");
    expect(await page.evaluate("window.loadedOnce")).toBe(true);

    await live.settle();
    await goto(`/deliveries/${live.deliveries()[0]!.id}`);
    await page.evaluate("window.loadedOnce = true");
    await page.getByText("next attempt in 10s").waitFor();
    receiver.reply({ status: 204 });
    await live.advance("10s");
    await page.locator("#attempt-2", { hasText: "204" }).waitFor();
    await page.locator(".facts").getByText("succeeded").waitFor();
    expect(await page.evaluate("window.loadedOnce")).toBe(true);
  });

  it("the ledger is updated", async (test) => {
    const { live, page } = await openDashboard(test, "/ledger");
    await live.control("PUT", "/balance", { balance: 1_000 });
    await page.locator("tr", { hasText: "adjustment" }).waitFor();
    expect(await page.locator("main .facts").innerText()).toMatch(/balance\s+1\s000\sXOF/);
  });
});

describe("with clicks", () => {
  it("a charge is failed, cancelled, paid by a chosen number, and refunded in part and in full", async (test) => {
    const { live, page, goto, press, outcome } = await openDashboard(test, "");
    const { id } = await live.createCharge();
    const charge = () => live.ok("GET", `/v1/charges/${id}`);
    await goto(`/charges/${id}`);
    await page.getByLabel("With this number").selectOption({ index: 1 });
    await press("Pay");
    expect(await charge()).toMatchObject({ status: "due", attempts: 1 });
    await press("Cancel as the customer");
    expect(await outcome()).toContain("The customer cancelled");
    await press("Pay");
    expect(await charge()).toMatchObject({ status: "paid", attempts: 2 });
    const amount = page.getByRole("textbox", { name: "XOF" });
    await amount.fill("2 500");
    await press("Refund");
    expect(await charge()).toMatchObject({ status: "refunded_partially", refunded: 2_500 });
    await amount.fill("99999");
    await press("Refund");
    expect(await outcome()).toContain("Nothing was done");
    await expectAccessible(page);
    await amount.fill("");
    await press("Refund");
    expect(await charge()).toMatchObject({ status: "refunded", refunded: 10_000 });
    await page.getByText("refunded is its last state").waitFor();
  });

  it("a charge is paid, and another dropped for a reason", async (test) => {
    const { live, page, goto, press } = await openDashboard(test, "");
    const [first, second] = [await live.createCharge(), await live.createCharge()];
    await goto(`/charges/${first.id}`);
    await press("Pay");
    expect(await live.ok("GET", `/v1/charges/${first.id}`)).toMatchObject({ status: "paid" });
    await goto(`/charges/${second.id}`);
    await page.getByLabel("Reason").fill("out_of_stock");
    await press("Drop");
    expect(await live.ok("GET", `/v1/charges/${second.id}`)).toMatchObject({ droppedReason: "out_of_stock" });
  });

  it("transfers of a batch are completed and failed", async (test) => {
    const { live, page, goto, press } = await openDashboard(test, "");
    const transactions = [1, 2].map((n) => transferRequest({ msisdn: "+2250700000003", reference: `salary-${n}` }));
    const batch = await live.ok("POST", "/v1/transactions/batch", { transactions });
    for (const [reference, label] of [
      ["salary-1", "Complete"],
      ["salary-2", "Fail"],
    ] as const) {
      await goto(`/batches/${batch.id}`);
      await page.getByRole("link", { name: reference }).click();
      await page.getByRole("heading", { level: 1, name: `Transfer ${reference}` }).waitFor();
      if (label === "Fail") await page.getByLabel("Reason").fill("limit_exceeded");
      await press(label);
    }
    const { data } = (await live.control("GET", "/transactions")).body;
    expect(data).toMatchObject([{ status: "failed", failureReason: "limit_exceeded" }, { status: "completed" }]);
    await goto(`/batches/${batch.id}`);
    await page.locator(".facts > div", { hasText: "Status" }).filter({ hasText: "completed" }).waitFor();
  });

  it("a webhook is sent again, a customer registered and removed, the balance set", async (test) => {
    const receiver = await startReceiver();
    const { live, page, goto, press, outcome } = await openDashboard(test, "");
    await live.subscribe("transactions/started", receiver.url);
    await live.createTransfer();
    await receiver.waitFor(1);
    await live.settle();
    await goto(`/deliveries/${live.deliveries()[0]!.id}`);
    await press("Resend");
    await receiver.waitFor(2);

    await goto("/customers");
    await page.getByLabel("Phone number").fill("+2250102030405");
    await page.getByLabel("First name").fill("Awa");
    await page.getByLabel("Last name").fill("Koné");
    await press("Register");
    expect(await outcome()).toContain("The customer is registered.");
    await page.getByRole("button", { name: "Remove +2250102030405…" }).click();
    await press("Remove +2250102030405");
    expect((await live.control("GET", "/customers")).body.data).toEqual([]);

    await goto("/ledger");
    await page.getByRole("textbox", { name: "XOF" }).fill("250 000");
    await press("Set");
    expect((await live.control("GET", "/balance")).body.balance).toBe(250_000);
  });

  it("the command beside a button is shown, copied, and does the same", async (test) => {
    const { live, page, goto } = await openDashboard(test, "", {
      page: { permissions: ["clipboard-read", "clipboard-write"] },
    });
    const { id } = await live.createCharge();
    await goto(`/charges/${id}`);
    await page.getByLabel("Pay with curl", { exact: true }).click();
    await page.getByRole("button", { name: "Copy the command: Pay", exact: true }).click();
    await page.getByText("Copied").waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(copied).toBe(`curl -X POST ${live.url}/_sandbox/charges/${id}/pay`);
  });
});
