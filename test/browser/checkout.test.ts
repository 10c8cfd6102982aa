import type { Page } from "playwright-core";
import { describe, expect, it, type TestContext } from "vitest";
import { expectAccessible, expectFits, type PageOptions, useBrowser } from "../support/browser.js";
import { startLive, type Live } from "../support/live.js";
import { startReceiver } from "../support/receiver.js";
import type { WorldOptions } from "../support/world.js";

const browser = useBrowser();

/** The payment page of a charge in a browser, and the shop that it leads back to. */
interface Checkout {
  readonly live: Live;
  readonly page: Page;
  readonly id: string;
  readonly url: string;
  /** The origin of the shop's pages. */
  readonly shop: string;
  /** Reads the charge from the API. */
  readonly charge: () => Promise<{ readonly status: string; readonly attempts: number; readonly paid: number }>;
}

interface Given {
  readonly world?: WorldOptions;
  readonly page?: PageOptions;
  /** Fields of the charge that differ from the defaults. */
  readonly change?: Readonly<Record<string, unknown>>;
}

async function openCheckout(test: TestContext, { world, page: options, change }: Given = {}): Promise<Checkout> {
  const live = await startLive(world);
  const { origin: shop } = await startReceiver({
    headers: { "content-type": "text/html" },
    body: "<title>Shop</title>",
  });
  const { id, paymentUrl } = await live.createCharge({
    onCompletedRedirectionUrl: `${shop}/thanks?order=7`,
    onCanceledRedirectionUrl: `${shop}/cart`,
    ...change,
  });
  const page = await browser.open(test, options);
  await page.goto(paymentUrl);
  const charge = () => live.ok("GET", `/v1/charges/${id}`);
  return { live, page, id, url: paymentUrl, shop, charge };
}

/** Replaces every kind of space with a plain one. */
const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, " ");
const payButton = (page: Page) => page.getByRole("button", { name: "Pay 10 000 F CFA" });
const field = (page: Page) => page.getByLabel("Mobile money number");

describe("the payment page", () => {
  it("pays with a typed number, and leads to the shop", async (test) => {
    const { page, shop, charge } = await openCheckout(test);
    await field(page).fill("07 00 00 00 10");
    await payButton(page).click();
    await page.waitForURL(`${shop}/thanks?order=7`);
    expect(await charge()).toMatchObject({ status: "paid", attempts: 1 });
  });

  it("pays with a chosen test number, without another page in between", async (test) => {
    const { page, url, shop, charge } = await openCheckout(test);
    await page.getByRole("link", { name: "+225 07 00 00 00 01 Pays", exact: true }).click();
    expect(await field(page).inputValue()).toBe("+2250700000001");
    expect(page.url()).toBe(url);
    await payButton(page).click();
    await page.waitForURL(`${shop}/thanks?order=7`);
    expect((await charge()).status).toBe("paid");
  });

  it("says why an attempt failed, and then pays", async (test) => {
    const { page, url, shop, charge } = await openCheckout(test);
    await page.getByRole("link", { name: "not enough money" }).click();
    await payButton(page).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toContain("The payment did not go through: not enough money");
    expect(page.url()).toBe(`${url}?msisdn=%2B2250700000006`);
    expect(await field(page).inputValue()).toBe("+2250700000006");
    await expectAccessible(page);
    await page.getByRole("link", { name: "+225 07 00 00 00 01 Pays", exact: true }).click();
    await payButton(page).click();
    await page.waitForURL(`${shop}/thanks?order=7`);
    expect(await charge()).toMatchObject({ status: "paid", attempts: 2 });
  });

  it("stays, and says what is wrong, when the number is invalid or refused", async (test) => {
    const expected = /status of 4(?:00|22)/;
    const { page, shop, charge } = await openCheckout(test, { page: { expected } });
    await field(page).fill("12345");
    await payButton(page).click();
    await page.getByText("This is not a phone number").waitFor();
    expect(await field(page).inputValue()).toBe("12345");
    await expectAccessible(page);
    await page.getByRole("link", { name: "Refused" }).click();
    await payButton(page).click();
    await page.getByText("does not accept payment requests").waitFor();
    await field(page).fill("+2250700000001");
    await payButton(page).click();
    await page.waitForURL(`${shop}/thanks?order=7`);
    expect((await charge()).attempts).toBe(1);
  });

  it("cancels, leads to the shop, and can still be paid", async (test) => {
    const { page, url, shop, charge } = await openCheckout(test);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.waitForURL(`${shop}/cart`);
    expect(await charge()).toMatchObject({ status: "due", attempts: 0 });
    await page.goBack();
    await page.waitForURL(url);
    await field(page).fill("+2250700000001");
    await payButton(page).click();
    await page.waitForURL(`${shop}/thanks?order=7`);
  });

  it("pays once, however often Pay is clicked", async (test) => {
    const { live, page, shop, charge } = await openCheckout(test, { world: { balance: 0 } });
    await field(page).fill("+2250700000001");
    await payButton(page).dblclick();
    await page.waitForURL(`${shop}/thanks?order=7`);
    expect(await charge()).toMatchObject({ paid: 10_000, attempts: 1 });
    expect((await live.ok("GET", "/v1/balance")).balance).toBe(10_000);
  });

  it("stays a window of the shop that opened it, until the shop is closed", async (test) => {
    const { page, url, shop } = await openCheckout(test);
    await page.goto(shop);
    const opening = page.waitForEvent("popup");
    await page.evaluate<void>(`void (window.payment = window.open(${JSON.stringify(url)}))`);
    const popup = await opening;
    await payButton(popup).waitFor();
    expect(await page.evaluate<boolean>("window.payment.closed")).toBe(false);
    await popup.close();
    await page.waitForFunction("window.payment.closed");
  });

  it("redirects a customer whose shop redirects to another host", async (test) => {
    const live = await startLive();
    const last = await startReceiver({ headers: { "content-type": "text/html" }, body: "<title>Shop</title>" });
    const first = await startReceiver({ status: 302, headers: { location: `${last.origin}/end` } });
    const { paymentUrl } = await live.createCharge({ onCompletedRedirectionUrl: `${first.origin}/return` });
    const page = await browser.open(test);
    await page.goto(paymentUrl);
    await field(page).fill("+2250700000001");
    await payButton(page).click();
    await page.waitForURL(`${last.origin}/end`);
    expect(first.received.map(({ path }) => path)).toContain("/return");
  });
});

describe("time on the payment page", () => {
  it("shows another page when the company's clock passes the end of the charge", async (test) => {
    const { live, page, shop } = await openCheckout(test);
    expect(await page.locator("#left").innerText()).toBe("1:00:00");
    await live.advance("59m50s");
    await page.getByText("0:10", { exact: true }).waitFor();
    await live.advance("10s");
    await page.getByRole("heading", { name: "Payment link expired" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Back to the merchant" }).click();
    await page.waitForURL(`${shop}/cart`);
  });

  it("counts down by itself while the clock runs, and says so when it is frozen", async (test) => {
    const { live, page } = await openCheckout(test, { world: { clock: "running" } });
    await page.getByText(/^59:5\d$/).waitFor();
    expect(await page.getByText("clock is frozen").isVisible()).toBe(false);
    await live.control("PUT", "/clock", { mode: "frozen" });
    await page.getByText("clock is frozen").waitFor();
  });

  it("shows a charge that was paid elsewhere, or no longer exists", async (test) => {
    const paid = await openCheckout(test);
    await paid.live.ok("POST", `/v1/charges/${paid.id}/pay`);
    await paid.page.getByRole("heading", { name: "Payment complete" }).waitFor();
    const gone = await openCheckout(test, { page: { expected: /status of 404/ } });
    await gone.live.control("POST", "/reset");
    await gone.page.getByRole("heading", { name: "Payment not found" }).waitFor();
    await expectAccessible(gone.page);
  });

  it("asks to confirm on the phone, and continues after the confirmation", async (test) => {
    const { live, page, shop, charge } = await openCheckout(test);
    await page.getByRole("link", { name: "Confirms on the phone after 30 s" }).click();
    await payButton(page).click();
    await page.getByRole("heading", { name: "Waiting for confirmation" }).waitFor();
    expect(plain(await page.locator("main").innerText())).toContain(
      "A payment request was sent to +225 07 00 00 00 09.",
    );
    expect(await page.locator("#left").innerText()).toBe("0:30");
    expect(await page.getByText("clock is frozen").isVisible()).toBe(true);
    await expectAccessible(page);
    await expectFits(page);
    await live.advance("20s");
    await page.getByText("0:10", { exact: true }).waitFor();
    expect((await charge()).status).toBe("due");
    await live.advance("10s");
    await page.waitForURL(`${shop}/thanks?order=7`);
    expect(await charge()).toMatchObject({ status: "paid", attempts: 1 });
  });

  it("counts down to the confirmation while the clock runs", async (test) => {
    const { live, page, shop } = await openCheckout(test, { world: { clock: "running" } });
    await field(page).fill("+2250700000009");
    await payButton(page).click();
    await page.getByText(/^0:2\d$/).waitFor();
    expect(await page.getByText("clock is frozen").isVisible()).toBe(false);
    await live.advance("30s");
    await page.waitForURL(`${shop}/thanks?order=7`);
  });

  it("waits for a result that comes later, and then redirects", async (test) => {
    const later = { on: "payment", then: { after: "5s" } };
    const { live, page, shop, charge } = await openCheckout(test);
    await live.control("POST", "/rules", later);
    await field(page).fill("+2250700000001");
    await payButton(page).click();
    await page.getByRole("heading", { name: "Waiting for confirmation" }).waitFor();
    await expectAccessible(page);
    expect((await charge()).status).toBe("due");
    await live.advance("5s");
    await page.waitForURL(`${shop}/thanks?order=7`);
    expect((await charge()).status).toBe("paid");
  });
});

describe("the number", () => {
  it("is kept when the language changes", async (test) => {
    const { page } = await openCheckout(test);
    await field(page).fill("07 00 00 00 10");
    await page.getByRole("link", { name: "Français" }).click();
    await page.getByRole("button", { name: "Payer 10 000 F CFA" }).waitFor();
    expect(await page.getByLabel("Numéro mobile money").inputValue()).toBe("07 00 00 00 10");
    await page.getByLabel("Numéro mobile money").fill("");
    await page.getByRole("link", { name: "English" }).click();
    await payButton(page).waitFor();
    expect(await field(page).inputValue()).toBe("");
  });

  it("is kept while another attempt is made elsewhere, even when that fails later", async (test) => {
    const { live, page, id } = await openCheckout(test);
    await field(page).fill("07 00 00 00 10");
    await live.ok("POST", `/v1/charges/${id}/pay`, { msisdn: "+2250700000006" });
    await page.getByText("not enough money").waitFor();
    expect(await field(page).inputValue()).toBe("07 00 00 00 10");
    await field(page).fill("07 00 00 00 11");
    await live.control("POST", "/rules", { on: "payment", then: { after: "5s", outcome: "failed" } });
    await live.ok("POST", `/v1/charges/${id}/pay`, { msisdn: "+2250700000006" });
    await page.getByRole("heading", { name: "Waiting for confirmation" }).waitFor();
    await live.advance("5s");
    await page.getByText("payment declined").first().waitFor();
    expect(await field(page).inputValue()).toBe("07 00 00 00 11");
  });
});

describe("a rule that spoils the answer", () => {
  const spoil = async ({ live }: Checkout, then: Readonly<Record<string, unknown>>): Promise<unknown> =>
    live.control("POST", "/rules", {
      on: "request",
      match: { path: "/checkout/:id", body: { action: "pay" } },
      then,
      times: 1,
    });

  /** After this time the page has read the status, over a connection that a form could reuse. */
  const payAfterReading = async ({ page }: Checkout): Promise<void> => {
    await page.waitForResponse((answer) => answer.url().endsWith("/status"));
    await field(page).fill("+2250700000001");
    await payButton(page).click();
  };

  it.for([
    [{ fault: "reset" }, { status: "due", attempts: 0 }],
    [
      { fault: "reset", commit: true },
      { status: "paid", attempts: 1 },
    ],
    [
      { fault: "hang", delay: "50ms" },
      { status: "due", attempts: 0 },
    ],
    [
      { fault: "hang", delay: "50ms", commit: true },
      { status: "paid", attempts: 1 },
    ],
  ] as const)("loses it, and the browser does not get it by a repeated request: %j", async ([then, after], test) => {
    const checkout = await openCheckout(test, { page: { expected: /ERR_(?:CONNECTION_RESET|EMPTY_RESPONSE)/ } });
    const { page, live, url, charge } = checkout;
    await spoil(checkout, then);
    await payAfterReading(checkout);
    await page.waitForURL("chrome-error://chromewebdata/");
    expect(await charge()).toMatchObject(after);
    expect((await live.control("GET", "/rules")).body.count).toBe(0);
    await page.goto(url);
    const next = after.status === "paid" ? page.getByRole("heading", { name: "Payment complete" }) : payButton(page);
    await next.waitFor();
  });

  it.for([
    [{ fault: "empty" }, "due", ""],
    [{ fault: "empty", commit: true }, "paid", ""],
    [{ fault: "malformed", commit: true }, "paid", '{"id":"00000000-0000-40'],
    [{ status: 503, body: "down" }, "due", "down"],
  ] as const)("shows the rest of it: %j", async ([then, status, shown], test) => {
    const checkout = await openCheckout(test, { page: { expected: /status of 503|favicon/ } });
    await spoil(checkout, then);
    await payAfterReading(checkout);
    await checkout.page.waitForFunction("document.querySelector('main') === null");
    expect(await checkout.page.innerText("body")).toBe(shown);
    expect((await checkout.charge()).status).toBe(status);
  });

  it("delays it", async (test) => {
    const checkout = await openCheckout(test);
    await spoil(checkout, { delay: "100ms" });
    await payAfterReading(checkout);
    await checkout.page.waitForURL(`${checkout.shop}/thanks?order=7`);
    expect((await checkout.charge()).status).toBe("paid");
  });
});

describe("for all customers", () => {
  it("works without a script, even while it waits", async (test) => {
    const { live, page, url, shop, charge } = await openCheckout(test, { page: { javaScriptEnabled: false } });
    await page.getByRole("link", { name: "not enough money" }).click();
    await page.waitForURL(`${url}?msisdn=%2B2250700000006`);
    await payButton(page).click();
    await page.getByText("The payment did not go through").waitFor();
    expect(await field(page).inputValue()).toBe("+2250700000006");
    await live.control("POST", "/rules", { on: "payment", then: { after: "5s" } });
    await field(page).fill("+2250700000001");
    await payButton(page).click();
    await page.getByRole("heading", { name: "Waiting for confirmation" }).waitFor();
    await live.advance("5s");
    await page.waitForURL(`${shop}/thanks?order=7`);
    expect(await charge()).toMatchObject({ status: "paid", attempts: 2 });
  });

  it("works with the keyboard alone, with visible focus", async (test) => {
    const { page, shop, charge } = await openCheckout(test);
    const focused = () => page.locator(":focus");
    for (const name of ["English", "Français"]) {
      await page.keyboard.press("Tab");
      expect(await focused().innerText()).toBe(name);
    }
    await page.keyboard.press("Tab");
    expect(await focused().getAttribute("name")).toBe("msisdn");
    await page.keyboard.press("Tab");
    expect(plain(await focused().innerText())).toContain("+225 07 00 00 00 01");
    expect(await page.evaluate<string>("getComputedStyle(document.activeElement).outlineWidth")).toBe("3px");
    await page.keyboard.press("Enter");
    expect(await field(page).inputValue()).toBe("+2250700000001");
    while ((await focused().getAttribute("value")) !== "pay") await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.waitForURL(`${shop}/thanks?order=7`);
    expect((await charge()).status).toBe("paid");
  });

  it("pays with Enter from the field", async (test) => {
    const { page, shop, charge } = await openCheckout(test);
    await field(page).fill("+2250700000001");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${shop}/thanks?order=7`);
    expect((await charge()).status).toBe("paid");
  });

  it("is in French for customers who prefer or choose it", async (test) => {
    const { page, shop } = await openCheckout(test, { page: { locale: "fr-CI" } });
    expect(plain(await page.title())).toBe("Payer 10 000 F CFA à company_sandbox");
    await expectAccessible(page);
    await page.getByRole("link", { name: "English" }).click();
    await payButton(page).waitFor();
    await page.getByRole("link", { name: "Français" }).click();
    await page.getByRole("link", { name: "solde insuffisant" }).click();
    await page.getByRole("button", { name: "Payer 10 000 F CFA" }).click();
    await page.getByText("Le paiement n’a pas abouti : solde insuffisant").waitFor();
    await page.getByRole("button", { name: "Annuler" }).click();
    await page.waitForURL(`${shop}/cart`);
  });

  it.for([320, 390])("fits a screen of %i px, with Pay in sight", async (width, test) => {
    const page = { viewport: { width, height: 700 }, isMobile: true, hasTouch: true };
    const { page: phone } = await openCheckout(test, { page });
    await expectFits(phone);
    const box = await payButton(phone).boundingBox();
    expect((box?.y ?? 700) + (box?.height ?? 0)).toBeLessThanOrEqual(700);
  });

  it("fits a small screen whatever texts the merchant sends", async (test) => {
    const change = { amount: 200_000_000, description: "w".repeat(300), externalId: `order-${"9".repeat(80)}` };
    const page = { viewport: { width: 320, height: 700 }, isMobile: true, hasTouch: true };
    await expectFits((await openCheckout(test, { page, change })).page);
  });

  it.for(["light", "dark"] as const)(
    "has no violation of axe in %s colours, and keeps its policy",
    async (colorScheme, test) => {
      const description = `<script>document.title = "forged"</script><img src="//evil.example/x.png">`;
      const { page } = await openCheckout(test, { page: { colorScheme }, change: { description } });
      await expectAccessible(page);
      expect(plain(await page.title())).toBe("Pay 10 000 F CFA to company_sandbox");
      expect(await page.getByText(description).isVisible()).toBe(true);
    },
  );
});
