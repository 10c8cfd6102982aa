import type { Page } from "playwright-core";
import { describe, expect, it, type TestContext } from "vitest";
import { type PageOptions, useBrowser } from "../support/browser.js";
import { type Live, startLive } from "../support/live.js";
import type { WorldOptions } from "../support/world.js";

const browser = useBrowser();

interface Watched {
  readonly live: Live;
  readonly page: Page;
  /** Marks the page. The mark is lost when the page is loaded again. */
  readonly isSamePage: () => Promise<boolean>;
}

async function watch(
  test: TestContext,
  path: string,
  world: WorldOptions = {},
  options: PageOptions = {},
): Promise<Watched> {
  const live = await startLive(world);
  const page = await browser.open(test, options);
  await page.goto(`${live.url}/_sandbox/dashboard${path}`);
  await page.locator('[data-state="live"]').waitFor();
  await page.evaluate("window.isTheSame = true");
  return { live, page, isSamePage: async () => (await page.evaluate("window.isTheSame")) === true };
}

describe("a page that is open", () => {
  it("shows what a program does, without reloading", async (test) => {
    const { live, page, isSamePage } = await watch(test, "/clock");
    const { id } = await live.createCharge();
    await page.getByText(id).waitFor();
    await live.control("POST", "/clock/advance", { by: "1h" });
    await page.getByText("Nothing is due.").waitFor();
    expect(await page.locator(".bar .time").innerText()).toBe("2026-01-15 10:00:00");
    expect(await isSamePage()).toBe(true);
  });

  it.for([
    [
      "/rules",
      "a rule",
      (live: Live) => live.control("POST", "/rules", { name: "Xq7", on: "transfer", then: { after: "1h" } }),
    ],
    ["/profile", "a setting", (live: Live) => live.control("PATCH", "/profile", { charges: { service: "Xq7" } })],
    ["/state", "a snapshot", (live: Live) => live.control("POST", "/snapshots/Xq7")],
    ["/findings", "a finding", (live: Live) => live.http("GET", "/v1/balance?Xq7=secret_sandbox")],
  ] as const)("%s shows %s at once", async ([path, _, change], test) => {
    const { live, page, isSamePage } = await watch(test, path);
    await change(live);
    await page.getByText("Xq7").first().waitFor();
    expect(await isSamePage()).toBe(true);
  });

  it("shows what the client has covered", async (test) => {
    const { live, page, isSamePage } = await watch(test, "/coverage");
    const uncovered = page.getByText("GET /v1/balance 200");
    await uncovered.waitFor();
    await live.http("GET", "/v1/balance");
    await uncovered.waitFor({ state: "detached" });
    expect(await isSamePage()).toBe(true);
  });

  it("keeps what the reader types, has chosen, unfolded, focused and scrolled to", async (test) => {
    const { live, page } = await watch(test, "/rules", {}, { viewport: { width: 1000, height: 400 } });
    await page.getByText("Write a rule as JSON").click();
    const field = page.getByLabel("Rule, as JSON");
    await field.fill('{"on": "payment"');
    await page.evaluate("document.getElementById('rule').setSelectionRange(3, 7)");
    await page.locator("form.action details.curl summary").last().click();
    await field.focus();
    await page.evaluate("scrollTo(0, 150)");
    const before = await page.evaluate("scrollY");
    await live.control("PUT", "/clock", { now: "2026-03-01T00:00:00Z" });
    await page.getByText("2026-03-01 00:00:00").first().waitFor();
    expect(await field.inputValue()).toBe('{"on": "payment"');
    expect(await page.evaluate("document.activeElement.id")).toBe("rule");
    expect(await page.evaluate("[document.activeElement.selectionStart, document.activeElement.selectionEnd]")).toEqual(
      [3, 7],
    );
    expect(await page.locator("form.action details.curl[open]").count()).toBe(1);
    expect(await page.evaluate("scrollY")).toBe(before);
    await page.keyboard.type("X");
    expect(await field.inputValue()).toBe('{"oX"payment"');
  });

  it("keeps a field that was left after it was typed into", async (test) => {
    const { live, page } = await watch(test, "/clock");
    await page.getByLabel("By a duration").fill("90m");
    await page.getByLabel("To a time, ISO 8601").focus();
    const { id } = await live.createCharge();
    await page.getByText(id).waitFor();
    expect(await page.getByLabel("By a duration").inputValue()).toBe("90m");
  });

  it("is updated after a reset and after a state was put in", async (test) => {
    const { live, page, isSamePage } = await watch(test, "/clock");
    await live.control("POST", "/snapshots/before");
    const { id } = await live.createCharge();
    await page.getByText(id).waitFor();
    await live.control("PUT", "/snapshots/before");
    await page.getByText("Nothing is due.").waitFor();
    const second = await live.createCharge();
    await page.getByText(second.id).waitFor();
    await live.control("POST", "/reset");
    await page.getByText("Nothing is due.").waitFor();
    const third = await live.createCharge();
    await page.getByText(third.id).waitFor();
    expect(await isSamePage()).toBe(true);
  });

  it("is about one company", async (test) => {
    const { live, page } = await watch(test, "/clock");
    await live.control("POST", "/companies", { companyId: "company_b", accessToken: "at_b" });
    let asked = 0;
    page.on("request", () => asked++);
    await live.control("POST", "/clock/advance?company=company_b", { by: "1h" });
    const { id } = await live.createCharge();
    await page.getByText(id).waitFor();
    expect(asked).toBe(1);
  });

  it("says so when its company is gone", async (test) => {
    const { live, page } = await watch(test, "/clock", {}, { expected: /404/ });
    await live.control("POST", "/companies", { companyId: "company_b" });
    await page.goto(`${live.url}/_sandbox/dashboard/clock?company=company_b`);
    await page.locator('[data-state="live"]').waitFor();
    await live.control("DELETE", "/companies/company_b");
    await page.getByText("There is nothing here").waitFor();
    expect(await page.locator("main").innerText()).toContain('No company has the id "company_b"');
  });

  it("asks for the token again when somebody signed out in another tab", async (test) => {
    const live = await startLive({ adminToken: "s3cret" });
    const page = await browser.open(test);
    await page.goto(`${live.url}/_sandbox/dashboard/clock`);
    await page.getByLabel("Admin token").fill("s3cret");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator('[data-state="live"]').waitFor();
    const other = await page.context().newPage();
    await other.goto(`${live.url}/_sandbox/dashboard/rules`);
    await other.getByRole("button", { name: "Sign out" }).click();
    await other.waitForURL(/sign-in/);
    await live.createCharge();
    await page.waitForURL(/sign-in/);
    expect(await page.getByLabel("Admin token").count()).toBe(1);
  });

  it("says that it is not connected when the sandbox has stopped", async (test) => {
    const { live, page } = await watch(test, "/clock", {}, { expected: /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE/ });
    expect(await page.getByText("not connected").isVisible()).toBe(false);
    await live.close();
    await page.getByText("not connected").waitFor({ state: "visible" });
    expect(await page.getByRole("heading", { name: "Clock" }).count()).toBe(1);
  });

  it("shows the time until the next due item, as the clock runs", async (test) => {
    const live = await startLive({ clock: "running" });
    await live.createCharge();
    const page = await browser.open(test);
    await page.clock.install();
    await page.goto(`${live.url}/_sandbox/dashboard/clock`);
    const refreshed = page.waitForResponse((answer) => answer.url().endsWith("/clock"));
    await page.clock.runFor(12_000);
    expect((await refreshed).status()).toBe(200);
  });
});
