import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { HttpExchange } from "../../src/adapters/har/http-exchange.js";
import { readHar } from "../../src/adapters/har/read-har.js";
import { useBrowser } from "../support/browser.js";
import { folderWith } from "../support/folder.js";
import { startLive } from "../support/live.js";
import { chargeRequest } from "../support/requests.js";

const browser = useBrowser();

const account = { authorization: "Bearer at_sandbox", "x-company-id": "company_sandbox" };

const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

it("reads what Chromium records of a session with the API", async (test) => {
  const live = await startLive();
  const path = join(await folderWith({}), "traffic.har");
  const recordHar = { path, content: "embed" as const };
  const sent = chargeRequest();
  const page = await browser.open(test, { recordHar, extraHTTPHeaders: account, expected: /favicon/ });
  await page.goto(`${live.url}/v1/balance`);
  await page.evaluate(async (body) => {
    const headers = { "content-type": "application/json" };
    await (await fetch("/v1/charges", { method: "POST", headers, body })).text();
  }, JSON.stringify(sent));
  await page.context().close();
  const exchanges: HttpExchange[] = [];
  for await (const exchange of readHar(path)) exchanges.push(exchange);
  const api = exchanges.filter(({ url }) => url.includes("/v1/"));
  expect(api.map(({ method, answer }) => [method, answer?.status])).toEqual([
    ["GET", 200],
    ["POST", 201],
  ]);
  const [balance, charge] = api;
  expect(JSON.parse(textOf(balance?.answer?.body))).toEqual(await live.ok("GET", "/v1/balance"));
  expect(JSON.parse(textOf(charge?.body))).toEqual(sent);
  expect(JSON.parse(textOf(charge?.answer?.body))).toMatchObject({ status: "created" });
});

it("offers an archive on the activity page that Playwright replays in Chromium", async (test) => {
  const live = await startLive();
  const path = join(await folderWith({}), "journal.har");
  const { balance } = await live.ok("GET", "/v1/balance");
  const page = await browser.open(test);
  await page.goto(`${live.url}/_sandbox`);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download HAR" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("company_sandbox.har");
  await download.saveAs(path);
  await page.routeFromHAR(path);
  // From now on only the archive has it.
  await live.close();
  await page.goto(`${live.url}/v1/balance`);
  expect(JSON.parse(await page.locator("body").innerText())).toEqual({ balance, currency: "XOF" });
  expect(JSON.parse(await readFile(path, "utf8"))).toHaveProperty("log.version", "1.2");
});
