import { expect, it } from "vitest";
import { expectAccessible, useBrowser } from "../support/browser.js";
import { dashboardIn } from "../support/open-dashboard.js";

const browser = useBrowser();
const openDashboard = dashboardIn(browser);

it("opens a company, and a link fills in its token, which signs in", { timeout: 300_000 }, async (test) => {
  const world = { tenancy: true, autoProvision: true, adminToken: "s3cret" };
  const { live, page } = await openDashboard(test, "/sign-in", { world });
  await expectAccessible(page);
  await page.getByRole("button", { name: "Open a company" }).click();
  await expectAccessible(page);
  const link = await page.locator("code", { hasText: "#token=" }).innerText();
  await page.goto("about:blank");
  await page.goto(link);
  expect(page.url()).toBe(`${live.url}/_sandbox/dashboard/sign-in`);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${live.url}/_sandbox`);
  const company = live.sandbox.companies.at(-1)?.id ?? "";
  expect(await page.title()).toBe(`Activity · ${company}`);
  await expectAccessible(page);
});
