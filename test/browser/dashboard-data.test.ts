import { describe, expect, it } from "vitest";
import { expectAccessible, expectFits, useBrowser } from "../support/browser.js";
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
    "/ledger?along=entries",
  ];
}

const lists = ["", "/charges", "/transfers", "/batches", "/customers", "/ledger", "/subscriptions", "/deliveries"];

describe("the data pages", () => {
  it("are accessible in light and dark, empty and full, and fit a phone", { timeout: 240_000 }, async (test) => {
    const { live, page, goto } = await openDashboard(test, "", { world: { forges: true } });
    for (const path of lists) {
      await goto(path);
      await expectAccessible(page);
    }
    for (const path of await fill(live, await startReceiver())) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await goto(path);
      for (const summary of await page.locator("main summary").all()) await summary.click();
      await expectAccessible(page);
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 800 });
        await expectFits(page);
      }
    }
  });

  it("lead from one to another: story, charge, delivery, and back to the list", async (test) => {
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
    await page.getByRole("searchbox").waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe(id);
    expect(await page.locator("tbody tr").count()).toBe(1);
  });

  it("are searched and narrowed by keyboard alone", async (test) => {
    const { live, page, goto } = await openDashboard(test, "");
    for (const externalId of ["order-1", "order-2", "other"]) await live.createCharge({ externalId });
    await goto("/charges");
    await page.getByRole("searchbox").focus();
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

describe("without being loaded again", () => {
  it("the story goes on, the counts rise, and what the reader has opened stays open", async (test) => {
    const receiver = await startReceiver({ status: 503 });
    const { live, page } = await openDashboard(test, "");
    await page.evaluate("window.loadedOnce = true");
    await page.getByText("Nothing has been asked yet.").waitFor();
    await live.subscribe("charges/events", receiver.url);
    const { id } = await live.createCharge({ externalId: "order-77" });
    await page.getByText("charge created").waitFor();
    await live.ok("POST", `/v1/charges/${id}/pay`);
    await page.getByText("charge paid").waitFor();
    await page.getByText("status 503 is not 2xx").waitFor();
    receiver.reply({});
    await live.advance("10s");
    await page.getByText("answered 200, 2 attempts").waitFor();
    expect(await page.locator(".count", { hasText: "charge" }).first().innerText()).toMatch(/^1\s+charge$/);
    expect(await page.evaluate("window.loadedOnce")).toBe(true);
  });

  it("a charge's lifecycle and a delivery's retries follow what happens", async (test) => {
    const receiver = await startReceiver({ status: 500 });
    const { live, page, goto } = await openDashboard(test, "");
    await live.subscribe("charges/events", receiver.url);
    const { id } = await live.createCharge();
    await goto(`/charges/${id}`);
    await page.evaluate("window.loadedOnce = true");
    await page.locator("details#metadata summary").click();
    await page.locator(".state.now", { hasText: "due" }).waitFor();
    await live.ok("POST", `/v1/charges/${id}/pay`);
    await page.locator(".state.now", { hasText: "paid" }).waitFor();
    await page.getByRole("heading", { name: "Ledger entries" }).waitFor();
    await page.locator("tr[id^=led_]").waitFor();
    expect(await page.locator("details#metadata").getAttribute("open")).toBe("");
    expect(await page.evaluate("window.loadedOnce")).toBe(true);

    await live.settle();
    await goto(`/deliveries/${live.deliveries()[0]!.id}`);
    await page.evaluate("window.loadedOnce = true");
    await page.locator("#attempt-2", { hasText: "next" }).waitFor();
    receiver.reply({ status: 204 });
    await live.advance("10s");
    await page.locator("#attempt-2", { hasText: "204" }).waitFor();
    await page.locator(".facts").getByText("succeeded").waitFor();
    expect(await page.evaluate("window.loadedOnce")).toBe(true);
  });

  it("the balance's line and the ledger follow", async (test) => {
    const { live, page } = await openDashboard(test, "/ledger");
    const line = page.locator(".balance-line");
    const before = await line.getAttribute("d");
    await live.control("PUT", "/balance", { balance: 1_000 });
    await page.locator("tr", { hasText: "adjustment" }).waitFor();
    expect(await line.getAttribute("d")).not.toBe(before);
  });
});

describe("with clicks", () => {
  it("a charge is failed, cancelled, paid by a number that is chosen, and refunded in part and whole", async (test) => {
    const { live, page, goto, press, outcome } = await openDashboard(test, "");
    const { id } = await live.createCharge();
    const charge = () => live.ok("GET", `/v1/charges/${id}`);
    await goto(`/charges/${id}`);
    await press("Fail a payment");
    expect(await charge()).toMatchObject({ status: "due", attempts: 1 });
    await press("Cancel as the customer");
    expect(await outcome()).toContain("The customer cancelled");
    await page.getByLabel("Test number").selectOption({ index: 4 });
    await press("Pay with this number");
    expect(await charge()).toMatchObject({ status: "paid", attempts: 2 });
    await page.getByLabel("XOF").fill("2 500");
    await press("Refund a part");
    expect(await charge()).toMatchObject({ status: "refunded_partially", refunded: 2_500 });
    await page.getByLabel("XOF").fill("99999");
    await press("Refund a part");
    expect(await outcome()).toContain("Nothing was done");
    await expectAccessible(page);
    await press("Refund all that is left");
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

  it("transfers are completed and failed, each on its own page and in its batch", async (test) => {
    const { live, page, goto, press } = await openDashboard(test, "");
    const transactions = [1, 2, 3].map((n) => transferRequest({ msisdn: "+2250700000003", reference: `salary-${n}` }));
    const batch = await live.ok("POST", "/v1/transactions/batch", { transactions });
    await goto(`/batches/${batch.id}`);
    await press("Complete salary-1");
    await press("Fail salary-2");
    await page.getByRole("link", { name: "salary-3" }).click();
    await page.getByRole("heading", { level: 1, name: "Transfer salary-3" }).waitFor();
    await page.getByLabel("Reason").fill("limit_exceeded");
    await press("Fail");
    const statuses = (await live.control("GET", "/transactions")).body.data.map(
      ({ status }: { status: string }) => status,
    );
    expect(statuses).toEqual(["failed", "failed", "completed"]);
    await goto(`/batches/${batch.id}`);
    await page.locator(".state.now", { hasText: "completed" }).waitFor();
  });

  it("a webhook is sent again, a customer registered and removed, the balance set", async (test) => {
    const receiver = await startReceiver();
    const { live, page, goto, press, outcome } = await openDashboard(test, "");
    await live.subscribe("transactions/started", receiver.url);
    await live.createTransfer();
    await receiver.waitFor(1);
    await live.settle();
    await goto(`/deliveries/${live.deliveries()[0]!.id}`);
    await press("Redeliver");
    await receiver.waitFor(2);

    await goto("/customers");
    await page.getByLabel("Phone number").fill("+2250102030405");
    await page.getByLabel("First name").fill("Awa");
    await page.getByLabel("Last name").fill("Koné");
    await press("Register");
    expect(await outcome()).toContain("The customer is registered.");
    await press("Remove +2250102030405");
    expect((await live.control("GET", "/customers")).body.data).toEqual([]);

    await goto("/ledger");
    await page.getByLabel("XOF").fill("250 000");
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
