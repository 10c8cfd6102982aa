import type { Page } from "playwright-core";
import { expect, it, type TestContext } from "vitest";
import { HEADER, hmac, type Receive, startReceiver, take } from "../audit/receivers.js";
import { expectAccessible, expectFits, type PageOptions, useBrowser } from "../support/browser.js";
import { startHeld } from "../support/audit-desk.js";
import { type Live, startLive } from "../support/live.js";

const browser = useBrowser();

/** A receiver that expects the signature in hex, and answers with text that must not become part of our page. */
const wrong: Receive = ({ headers, body }) =>
  headers[HEADER] === undefined || headers[HEADER] === hmac(body, "base64", "secret_sandbox") ? take(body) : 401;

async function openAudit(test: TestContext, options?: PageOptions): Promise<{ live: Live; page: Page }> {
  const live = await startLive();
  const page = await browser.open(test, options);
  await page.goto(`${live.url}/_sandbox/dashboard/audit`);
  return { live, page };
}

async function expectSound(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 800 });
  await expectAccessible(page);
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 800 });
    await expectFits(page);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

it(
  "a receiver is audited with a click, and its mistake is shown with how to fix it",
  { timeout: 60_000 },
  async (test) => {
    const { live, page } = await openAudit(test);
    await expectSound(page);
    const receiver = await startReceiver(wrong);
    await live.subscribe("charges/events", receiver.url);
    // The open page is updated after the subscription.
    await page.locator(`#url[value="${receiver.url}"]`).waitFor();
    await page.getByRole("button", { name: "Run the audit" }).click();
    await page.getByRole("heading", { name: "One check failed" }).waitFor();
    expect(await page.locator("main .facts").first().innerText()).toContain(receiver.url);
    const card = page.locator("#mistake-signature-missing");
    expect(await card.innerText()).toContain("How to fix it");
    const code = card.getByRole("region", { name: /Python/ });
    expect(await code.isVisible()).toBe(false);
    await card.getByText("Python", { exact: true }).click();
    expect(await code.innerText()).toContain("hmac.compare_digest");
    await expectSound(page);
    expect(await page.getByLabel("The receiver's URL").inputValue()).toBe(receiver.url);
    await live.subscribe("transactions/completed", `${receiver.url}/other`);
    await page.locator(`#url-suggested option[value="${receiver.url}/other"]`).waitFor({ state: "attached" });
    await expectSound(page);
  },
);

it("a running audit is not started again by a second click", async (test) => {
  const { page } = await openAudit(test);
  const { url, asked, open } = await startHeld();
  await page.getByLabel("The receiver's URL").fill(url);
  await page.locator("#only").selectOption("genuine");
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") sent.push(request.url());
  });
  const button = await page.getByRole("button", { name: "Run the audit" }).boundingBox();
  await page.mouse.dblclick((button?.x ?? 0) + 10, (button?.y ?? 0) + 10);
  await asked;
  open();
  await page.locator("main .facts").waitFor();
  expect(sent).toHaveLength(1);
  await page.goBack();
  expect(await page.locator("form[inert]").count()).toBe(0);
});

it("without a script, the form still leads to the report, and a refusal leads back to the form", async (test) => {
  const { page } = await openAudit(test, { javaScriptEnabled: false });
  const receiver = await startReceiver(wrong);
  await page.getByLabel("The receiver's URL").fill(receiver.url);
  await page.locator("#only").selectOption("forged");
  await page.getByRole("button", { name: "Run the audit" }).click();
  await page.locator("#mistake-signature-missing").waitFor();
  await page.getByLabel("The receiver's URL").fill("http://169.254.169.254/");
  await page.getByRole("button", { name: "Run the audit" }).click();
  expect(await page.getByRole("alert").innerText()).toContain("must not name a link-local or cloud metadata address");
  expect(await page.getByLabel("The receiver's URL").inputValue()).toBe("http://169.254.169.254/");
});
