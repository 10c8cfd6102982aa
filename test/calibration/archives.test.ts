import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, it } from "vitest";
import type { HttpExchange } from "../../src/adapters/har/http-exchange.js";
import { calibrate } from "../../src/index.js";
import { recordWith, sellOne, settingsIn } from "../support/calibrate.js";
import { folderWith } from "../support/folder.js";
import { type Entry, iso, json, namesOf, playwright, textOf, write } from "./archive.js";

/** The exchanges of a client. */
let recorded: readonly HttpExchange[];
beforeAll(async () => {
  recorded = await recordWith({ http: { createdStatus: 200 } }, sellOne);
});

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const sizes = { headersSize: -1, bodySize: -1 };
const pseudo = [":method", ":authority", ":scheme", ":path"].map((name) => ({ name, value: "x" }));

/** An archive of Chromium, over HTTP/2. Bodies that are not text are in base64. */
const chromium: Entry = ({ startedAt, method, url, headers, body, answer }) => ({
  _connectionId: "42",
  _initiator: { type: "script" },
  _priority: "High",
  _resourceType: "fetch",
  cache: {},
  connection: "443",
  pageref: "page_1",
  request: {
    method,
    url,
    httpVersion: "http/2.0",
    headers: [...pseudo, ...namesOf(headers)],
    queryString: [],
    cookies: [],
    ...sizes,
    ...(body === undefined ? {} : { postData: { mimeType: json, text: textOf(body) } }),
  },
  response: {
    status: answer?.status,
    statusText: "",
    httpVersion: "http/2.0",
    headers: [{ name: ":status", value: "200" }, ...namesOf(answer?.headers ?? [])],
    cookies: [],
    content: { size: 1, mimeType: json, text: base64(answer!.body), encoding: "base64" },
    redirectURL: "",
    ...sizes,
    _transferSize: 300,
    _error: null,
    _fetchedViaServiceWorker: false,
  },
  serverIPAddress: "[::1]",
  startedDateTime: iso(startedAt),
  time: 3.2,
  timings: { blocked: 1, dns: -1, ssl: -1, connect: -1, send: 0.1, wait: 2, receive: 0.1, _blocked_queueing: 0.9 },
});

/** Its times have microseconds and an offset. Each POST has `postData`, also without a body. */
const mitmproxy: Entry = ({ startedAt, method, url, headers, body, answer }) => ({
  startedDateTime: iso(startedAt).replace("Z", "123+00:00"),
  time: 12.4,
  request: {
    method,
    url,
    httpVersion: "HTTP/2.0",
    cookies: [],
    headers: namesOf(headers),
    queryString: [],
    headersSize: 400,
    bodySize: body?.length ?? 0,
    ...(method === "POST" ? { postData: { mimeType: "", text: textOf(body), params: [] } } : {}),
  },
  response: {
    status: answer?.status,
    statusText: "",
    httpVersion: "HTTP/2.0",
    cookies: [],
    headers: namesOf(answer?.headers ?? []),
    content: { size: 1, compression: 0, mimeType: json, text: textOf(answer?.body) },
    redirectURL: "",
    headersSize: 100,
    bodySize: 1,
  },
  cache: {},
  timings: { connect: -1.0, ssl: null, send: 1, receive: 1, wait: 10.4 },
  serverIPAddress: "127.0.0.1",
});

/** Other proxies keep the compressed body of the wire. */
const compressed: Entry = (exchange) => {
  const text = base64(gzipSync(exchange.answer!.body));
  const entry = playwright(exchange) as { readonly response: object };
  return { ...entry, response: { ...entry.response, content: { size: 1, text, encoding: "base64" } } };
};

/** All entries have the time of the export. */
const insomnia: Entry = ({ method, url, headers, body, answer }) => ({
  startedDateTime: "2026-01-20T10:00:00.000Z",
  time: 12,
  request: {
    method,
    url,
    httpVersion: "HTTP/1.1",
    cookies: [],
    headers: namesOf(headers),
    queryString: [],
    postData: { mimeType: body === undefined ? "" : json, text: textOf(body) },
    ...sizes,
  },
  response: {
    status: answer?.status,
    statusText: "OK",
    httpVersion: "HTTP/1.1",
    cookies: [],
    headers: namesOf(answer?.headers ?? []),
    content: { size: 1, mimeType: json, text: textOf(answer?.body) },
    redirectURL: "",
    ...sizes,
  },
  cache: {},
  timings: { blocked: -1, dns: -1, connect: -1, send: 0, wait: 12, receive: 0, ssl: -1 },
  comment: "Create a charge",
});

it.each<[string, Entry, object]>([
  ["Chromium", chromium, { creator: { name: "WebInspector", version: "537.36" }, pages: [{ id: "page_1" }] }],
  ["Playwright", playwright, { creator: { name: "Playwright", version: "1.57.0" }, browser: { name: "chromium" } }],
  ["mitmproxy", mitmproxy, { creator: { name: "mitmproxy exporthar", version: "0.1", comment: "" }, pages: [] }],
  ["a proxy that keeps compressed bodies", compressed, {}],
  ["Insomnia", insomnia, { creator: { name: "Insomnia REST Client", version: "insomnia.desktop.app:v11" } }],
])("calibrates an archive in the form that %s writes", async (_, render, log) => {
  const file = await write({ ...log, entries: recorded.map(render) });
  const report = await calibrate([file], { only: ["http", "charges.creationStatus"] });
  expect(report.drift).toEqual([]);
  expect(settingsIn(report, "set")).toEqual({ "http.createdStatus": 200 });
  expect(settingsIn(report, "confirmed")).toMatchObject({ "charges.creationStatus": "created" });
});

it("refuses the output of converters of curl commands and Postman collections, which has no answers", async () => {
  const requests = recorded.map(({ method, url }) => ({ request: { method, url }, startedDateTime: iso(0) }));
  const file = await write({ entries: requests });
  await expect(calibrate([file])).rejects.toThrow(/entry 0 \(GET [^?]*\/v1\/balance\): response must be/);
  const bare = join(await folderWith({ "request.har": JSON.stringify(requests[0]?.request) }), "request.har");
  await expect(calibrate([bare])).rejects.toThrow("it has no entries (log.entries)");
});

it.each<[string, (first: HttpExchange) => HttpExchange, object[]]>([
  [
    "a member toString, with which no text can be made of the body",
    (first) => ({ ...first, answer: { ...first.answer!, body: Buffer.from('{"status":{"toString":1}}') } }),
    [{ pointer: "/body", kind: "type" }],
  ],
  [
    "headers that HTTP cannot carry",
    (first) => ({ ...first, headers: [...first.headers, ["content-type", "a\nb"], ["x-company-id", "\u2028"]] }),
    [],
  ],
  [
    "members that every object inherits",
    (first) => ({
      ...first,
      answer: { ...first.answer!, body: Buffer.from('{"balance":1000,"currency":"XOF","constructor":1}') },
    }),
    [{ pointer: "/body/constructor", kind: "added" }],
  ],
  [
    "a balance that no sandbox can hold",
    (first) => ({ ...first, answer: { ...first.answer!, body: Buffer.from('{"balance":1e21,"currency":"XOF"}') } }),
    [{ pointer: "/body/balance", kind: "value" }],
  ],
])("reads %s", async (_, change, drift) => {
  const balance = recorded.find(({ url }) => url.endsWith("/v1/balance"))!;
  const file = await write({ entries: [change(balance)].map(playwright) });
  const report = await calibrate([file], { only: ["http"] });
  expect(report.drift).toMatchObject(drift);
});
