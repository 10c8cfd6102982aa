import { describe, expect, it } from "vitest";
import { expectAccessible, expectFits, useBrowser } from "../support/browser.js";
import { dashboardIn } from "../support/open-dashboard.js";
import { startReceiver } from "../support/receiver.js";

const openDashboard = dashboardIn(useBrowser());

describe("webhooks in the dashboard", () => {
  it("lead from a subscription and a failed test event to a redelivery", async (test) => {
    let status = 302;
    const receiver = await startReceiver(() => ({ status, body: "moved <b>away</b>" }));
    const { live, page, goto, press, outcome } = await openDashboard(test, "/subscriptions");
    await page.getByLabel("URL of your receiver").fill(receiver.url);
    await press("Subscribe");
    expect(await outcome()).toBe(`${receiver.url} now receives charges/events.`);
    await press(`Send a test event of charges/events to ${receiver.url}`);
    expect(await outcome()).toBe("The test event happened: charge paid.");
    await live.settle();
    await goto("/subscriptions");
    await page.getByText("1 of 1 failing").click();
    await page.locator("main table").getByRole("link", { name: "charges/events" }).click();
    const verdict = page.locator("#verdict");
    expect(await verdict.innerText()).toMatch(
      /Your receiver answered 302, a redirect that is not followed, in \d+ ms; next attempt in 10s\.\s+Signature: valid/,
    );
    expect(await page.getByText("moved <b>away</b>").isVisible()).toBe(true);
    status = 200;
    await press("Resend");
    await receiver.waitFor(2);
    await page.getByText(/Your receiver answered 200 in \d+ ms\./).waitFor();
    expect(await verdict.getAttribute("class")).toContain("good");
  });

  it("sends all that failed again with one click", async (test) => {
    let status = 500;
    const receiver = await startReceiver(() => ({ status }));
    const { live, page, goto, press, outcome } = await openDashboard(test, "");
    await live.subscribe("transactions/started", receiver.url);
    for (const _ of [1, 2]) await live.createTransfer();
    await live.settle();
    status = 200;
    await goto("/deliveries?status=failing");
    await press("Resend all failed");
    expect(await outcome()).toBe("2 webhooks are sent again.");
    // A list under the pointer stays as it is.
    await page.mouse.move(0, 0);
    await page.getByText("No delivery was found.").waitFor();
  });
});

describe("creating records", () => {
  it("opens the payment page of a new charge, which leads back to the list", async (test) => {
    const { live, page } = await openDashboard(test, "/charges");
    await page.getByLabel("Amount in XOF").fill("2500");
    await page.getByRole("button", { name: "Create, and open its payment page" }).click();
    await page.waitForURL(/\/checkout\//);
    await page.getByLabel("Mobile money number").fill("+2250700000001");
    await page.getByRole("button", { name: "Pay" }).click();
    await page.waitForURL(`${live.url}/_sandbox/dashboard/charges`);
    await page.getByRole("link", { name: "test-charge-1" }).waitFor();
    expect((await live.control("GET", "/charges")).body.data).toMatchObject([{ amount: 2500, status: "paid" }]);
    const { operations } = (await live.control("GET", "/coverage")).body;
    expect(operations.filter(({ met }: { met: boolean }) => met)).toEqual([]);
  });

  it("keeps a refused payout as it was filled in, and sends it once it is right", async (test) => {
    const { page, press, outcome } = await openDashboard(test, "/transfers");
    await page.getByLabel("Amount in XOF").fill("12");
    const reference = page.getByRole("textbox", { name: "Reference" });
    await reference.fill("mine");
    await press("Send");
    expect(await outcome()).toBe("Nothing was done.");
    const amount = page.getByLabel("Amount in XOF");
    expect([await amount.inputValue(), await amount.getAttribute("aria-invalid")]).toEqual(["12", "true"]);
    expect(await reference.inputValue()).toBe("mine");
    await amount.fill("5000");
    await press("Send");
    expect(await outcome()).toBe("The payout mine is on its way.");
  });

  it("says that a rule has changed the answer", async (test) => {
    const { live, press, outcome } = await openDashboard(test, "/transfers");
    for (const then of [{ fault: "reset" }, { fault: "malformed" }, { fault: "empty" }])
      await live.control("POST", "/rules", { on: "request", match: { path: "/v1/transactions" }, then, times: 1 });
    for (const _ of [1, 2, 3]) {
      await press("Send");
      expect(await outcome()).toBe("The answer was lost.");
    }
  });
});

it(
  "the pages of webhooks and of connecting are accessible, and fit their widths",
  { timeout: 120_000 },
  async (test) => {
    const evil = `"'><script>alert(1)</script><img src=x onerror=alert(2)>`;
    const receiver = await startReceiver({ status: 500, headers: { "x-evil": "<b>x</b>" }, body: evil });
    const { live, page, goto } = await openDashboard(test, "/connect");
    await expectAccessible(page);
    await live.subscribe("charges/events", `${receiver.url}?q=%3Cscript%3E"`);
    const { id } = await live.createCharge({ description: evil, externalId: evil });
    await live.control("POST", `/charges/${id}/drop`, { reason: evil });
    await live.settle();
    for (const path of ["/connect", "/subscriptions", "/deliveries", `/deliveries/${live.deliveries()[0]?.id}`]) {
      await goto(path);
      for (const summary of await page.locator("main summary").all()) await summary.click();
      for (const width of [1440, 1024, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await expectFits(page);
      }
      await expectAccessible(page);
      expect(await page.locator("main :is(script, img)").count()).toBe(0);
    }
  },
);
