import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ARCHIVES_MAX } from "../../../src/http/control/observation-routes.js";
import { readHar } from "../../../src/adapters/har/read-har.js";
import type { HttpExchange } from "../../../src/adapters/har/http-exchange.js";
import { folderWith } from "../../support/folder.js";
import { problemsOfHar } from "../../support/har.js";
import { startReceiver } from "../../support/receiver.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { type LooseJson, type TestWorld, openWorld } from "../../support/world.js";

async function archiveOf({ control }: TestWorld, query = ""): Promise<LooseJson> {
  const { status, body } = await control("GET", `/requests?format=har${query}`);
  expect(status).toBe(200);
  return body;
}

async function read(archive: LooseJson): Promise<HttpExchange[]> {
  const file = join(await folderWith({}), "traffic.har");
  await writeFile(file, JSON.stringify(archive));
  const exchanges: HttpExchange[] = [];
  for await (const exchange of readHar(file)) exchanges.push(exchange);
  return exchanges;
}

const headers = {
  authorization: "Bearer at_sandbox",
  "x-company-id": "company_sandbox",
  "content-type": "application/json",
};

const textOf = (bytes: Uint8Array | undefined): LooseJson => JSON.parse(Buffer.from(bytes ?? []).toString());

it("is a valid archive of requests and webhooks in the order of causes, which can be read again", async () => {
  const world = openWorld();
  const receiver = await startReceiver();
  await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
  const { body: charge } = await world.api("POST", "/v1/charges", chargeRequest({ externalId: "order-7" }));
  await world.api("POST", `/v1/charges/${charge.id}/pay`);
  await world.api("GET", `/v1/charges/${charge.id}?a=1`);
  await world.control("POST", "/settle");
  const archive = await archiveOf(world);
  expect(problemsOfHar(archive)).toEqual([]);
  const exchanges = await read(archive);
  expect(exchanges.map(({ method, url, answer }) => `${method} ${new URL(url).pathname} ${answer?.status}`)).toEqual([
    "POST /v1/webhooks 201",
    "POST /v1/charges 201",
    `POST /v1/charges/${charge.id}/pay 200`,
    `POST ${new URL(receiver.url).pathname} 200`,
    `GET /v1/charges/${charge.id} 200`,
  ]);
  expect(textOf(exchanges[1]!.body)).toEqual(chargeRequest({ externalId: "order-7" }));
  expect(textOf(exchanges[1]!.answer!.body)).toEqual(charge);
  expect(exchanges[3]!.body).toEqual(receiver.received[0]!.raw);
  expect(exchanges.map(({ startedAt }) => new Date(startedAt).toISOString())).toEqual(
    Array(5).fill("2026-01-15T09:00:00.000Z"),
  );
});

it("has a URL that is not valid any more once it is redacted", async () => {
  const world = openWorld();
  await world.control("POST", "/companies/company_sandbox/rotate", { secretKey: "key-of-mine-1" });
  await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: "http://key-of-mine-1.invalid/hook?a=1" });
  const { body: charge } = await world.api("POST", "/v1/charges", chargeRequest());
  await world.api("POST", `/v1/charges/${charge.id}/pay`);
  await world.api("GET", `/v1/${"%25".repeat(10_001)}`);
  await world.control("POST", "/settle");
  const { entries } = (await archiveOf(world)).log;
  const urls = entries.map(({ request }: LooseJson) => request.url);
  expect(urls).toContain("http://[redacted].invalid/hook?a=1");
  expect(urls.some((url: string) => url.endsWith("/[redacted]"))).toBe(true);
});

it("has no secret", async () => {
  const world = openWorld();
  await world.api("GET", "/v1/charges/at_sandbox?key=secret_sandbox");
  await world.api("POST", "/v1/charges", chargeRequest({ metadata: { token: "at_sandbox" } }));
  const text = JSON.stringify(await archiveOf(world));
  expect(text).not.toMatch(/at_sandbox|secret_sandbox/);
  expect(text).toContain("[redacted]");
});

it.each([
  ["text that is not JSON", '{"amount":', "application/json", 400],
  ["a form", "amount=100&note=at_sandbox", "application/x-www-form-urlencoded", 415],
])("has %s as it was sent, without secrets", async (_, body, type, status) => {
  const world = openWorld();
  const url = await world.listen();
  const sent = { ...headers, "content-type": type };
  expect((await fetch(`${url}/v1/charges`, { method: "POST", body, headers: sent })).status).toBe(status);
  const [exchange] = await read(await archiveOf(world));
  expect(Buffer.from(exchange!.body!).toString()).toBe(body.replace("at_sandbox", "[redacted]"));
  expect(exchange!.answer!.headers).toContainEqual(["content-type", "application/json; charset=utf-8"]);
});

it("has no answer where the client got none", async () => {
  const world = openWorld();
  await world.control("POST", "/rules", { on: "request", then: { fault: "reset", commit: true }, times: 1 });
  const url = await world.listen();
  const call = fetch(`${url}/v1/transactions`, { method: "POST", body: JSON.stringify(transferRequest()), headers });
  await expect(call).rejects.toThrow("fetch failed");
  const archive = await archiveOf(world);
  expect(problemsOfHar(archive)).toEqual([]);
  expect((await read(archive)).map(({ answer }) => answer)).toEqual([undefined]);
});

it("has only the requests that match, when filtered", async () => {
  const world = openWorld();
  await world.api("GET", "/v1/balance");
  await world.api("GET", "/v1/charges/unknown");
  const { log } = await archiveOf(world, "&status=404");
  expect(log.entries.map(({ request }: LooseJson) => new URL(request.url).pathname)).toEqual(["/v1/charges/unknown"]);
});

it("refuses another format", async () => {
  const { status, body } = await openWorld().control("GET", "/requests?format=hra");
  expect([status, body.message]).toEqual([400, ['format must be one of json, har, got "hra"']]);
});

it("is whole when the company is removed before it is read", async () => {
  const world = openWorld();
  await world.api("POST", "/v1/charges", chargeRequest());
  const answer = await world.app.request("/_sandbox/requests?format=har");
  await world.control("DELETE", "/companies/company_sandbox");
  const archive = JSON.parse(await answer.text());
  expect(archive.log.entries).toHaveLength(1);
});

it("takes no place when the request is HEAD, or when nobody reads it in process", async () => {
  const world = openWorld();
  const { app } = world;
  const url = await world.listen();
  const path = "/_sandbox/requests?format=har";
  for (let asked = 0; asked <= ARCHIVES_MAX; asked++) {
    expect((await fetch(url + path, { method: "HEAD" })).status).toBe(200);
    expect((await app.request(path)).status).toBe(200);
    expect((await app.request("/_sandbox/dashboard/requests.har")).status).toBe(200);
  }
});
