import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useBrowser } from "../support/browser.js";
import type { Live } from "../support/live.js";
import { dashboardIn } from "../support/open-dashboard.js";

const openDashboard = dashboardIn(useBrowser());

const newer = (page: Page) => page.locator("[data-newer]");

async function createCharges(live: Live, count: number, prefix: string): Promise<void> {
  for (let n = 1; n <= count; n++) await live.createCharge({ externalId: `${prefix}-${n}` });
}

describe("a list that someone is reading", () => {
  it.for([
    ["", "the pointer is on it", (page: Page) => page.locator("#feed > li").nth(3).hover()],
    ["", "it is scrolled", (page: Page) => page.evaluate("scrollTo(0, 300)")],
    ["", "it is paused", (page: Page) => page.getByRole("button", { name: "Pause" }).click()],
    ["/charges", "the pointer is on it", (page: Page) => page.locator("#feed tbody tr").nth(3).hover()],
    ["/deliveries", "it is scrolled", (page: Page) => page.evaluate("scrollTo(0, 300)")],
  ] as const)("%s stays as it is while %s, and shows what is new on a click", async ([path, _, read], test) => {
    const { live, page, goto } = await openDashboard(test, "", { page: { viewport: { width: 1200, height: 700 } } });
    await live.receiverFor("charges/events");
    await createCharges(live, 30, "old");
    for (const { id } of live.company.world.charges.values()) await live.ok("POST", `/v1/charges/${id}/pay`);
    await live.settle();
    await goto(path);
    await page.locator('[data-state="live"]').waitFor();
    await read(page);
    const before = await page.locator("#feed").innerText();
    const charge = await live.createCharge({ externalId: "new-1" });
    await live.ok("POST", `/v1/charges/${charge.id}/pay`);
    await newer(page).waitFor({ state: "visible" });
    await expect.poll(() => newer(page).innerText()).toMatch(path === "" ? "2 new ↑" : "1 new ↑");
    expect(await page.locator("#feed").innerText()).toBe(before);
    await newer(page).click();
    await page.locator("#feed", { hasText: "new-1" }).waitFor();
    await newer(page).waitFor({ state: "hidden" });
  });

  it("continues when the pointer leaves it", async (test) => {
    const { live, page, goto } = await openDashboard(test, "");
    await createCharges(live, 3, "old");
    await goto("");
    await page.locator('[data-state="live"]').waitFor();
    await page.locator("#feed > li").first().hover();
    await live.createCharge({ externalId: "new-1" });
    await newer(page).waitFor({ state: "visible" });
    await page.getByRole("heading", { name: "Activity" }).hover();
    await page.locator("#feed", { hasText: "new-1" }).waitFor();
    expect(await newer(page).isVisible()).toBe(false);
  });

  it("keeps a row under the pointer at 20 requests a second for 10 s, and shifts nothing", async (test) => {
    const { live, page, goto } = await openDashboard(test, "");
    await createCharges(live, 30, "old");
    await goto("");
    await page.locator('[data-state="live"]').waitFor();
    await page.evaluate(`
      window.shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.shift += entry.value;
      }).observe({ type: "layout-shift" });
    `);
    const row = page.locator("#feed > li").nth(5);
    await row.hover();
    const id = await row.getAttribute("id");
    const place = await row.boundingBox();
    const endsAt = performance.now() + 10_000;
    for (let sent = 0; performance.now() < endsAt; sent++) {
      void live.createCharge({ externalId: `new-${sent}` });
      await page.waitForTimeout(50);
      expect(await row.getAttribute("id")).toBe(id);
      expect(await row.boundingBox()).toEqual(place);
    }
    // The number of rows depends on the machine.
    expect(await newer(page).innerText()).toMatch(/^\d+\+? new ↑$/);
    expect(await page.evaluate("window.shift")).toBeLessThan(0.1);
  });
});

describe("times", () => {
  it("are shown in UTC with milliseconds, or in the reader's zone, even after an update", async (test) => {
    const { live, page, goto } = await openDashboard(test, "", { page: { timezoneId: "Asia/Kolkata" } });
    await live.createCharge();
    await goto("");
    const time = page.locator("#feed time").first();
    expect(await time.innerText()).toBe("2026-01-15 09:00:00.000Z");
    await page.getByRole("button", { name: "UTC" }).click();
    await page.getByRole("button", { name: "Local time" }).waitFor();
    expect(await time.innerText()).toBe("2026-01-15 14:30:00.000+05:30");
    await live.advance("1m");
    await live.createCharge({ externalId: "order-2" });
    await page.getByText("2026-01-15 14:31:00.000+05:30").waitFor();
  });
});
