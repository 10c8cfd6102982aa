import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { folderWith } from "../../../test/support/folder.js";
import { problemsOfHar } from "../../../test/support/har.js";
import type { HttpExchange } from "./http-exchange.js";
import { readHar } from "./read-har.js";
import { harParts } from "./write-har.js";

async function fileWith(text: string | Uint8Array): Promise<string> {
  const file = join(await folderWith({}), "traffic.har");
  await writeFile(file, text);
  return file;
}

async function readText(text: string | Uint8Array): Promise<HttpExchange[]> {
  const exchanges: HttpExchange[] = [];
  for await (const exchange of readHar(await fileWith(text))) exchanges.push(exchange);
  return exchanges;
}

const read = (...entries: unknown[]): Promise<HttpExchange[]> => readText(JSON.stringify({ log: { entries } }));

const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

const plain = {
  startedDateTime: "2026-01-15T09:00:00.123Z",
  time: 12.5,
  request: { method: "POST", url: "https://api.test/v1/charges?a=1", headers: [], postData: { text: "{}" } },
  response: { status: 201, headers: [{ name: "Content-Type", value: "application/json" }], content: { text: "{}" } },
};

describe("what other tools write", () => {
  it("Insomnia: parameters that the URL lacks", async () => {
    const url = "https://api.test/v1/transactions/customers/check";
    const queryString = [{ name: "msisdn", value: "+2250700000010" }];
    const requests = [
      { ...plain.request, url, queryString },
      { ...plain.request, url: `${url}?msisdn=%2B2250700000011`, queryString },
      { ...plain.request, url, queryString: "none" },
    ];
    const exchanges = await read(...requests.map((request) => ({ ...plain, request })));
    expect(exchanges.map((exchange) => exchange.url)).toEqual([
      `${url}?msisdn=%2B2250700000010`,
      `${url}?msisdn=%2B2250700000011`,
      url,
    ]);
  });

  it("Chromium and Playwright: HTTP/2, pseudo headers, base64", async () => {
    const [exchange] = await read({
      ...plain,
      _resourceType: "fetch",
      pageref: "page_1",
      startedDateTime: "2026-01-15T10:00:00.123456+01:00",
      request: {
        ...plain.request,
        httpVersion: "http/2.0",
        headers: [
          { name: ":method", value: "POST" },
          { name: ":authority", value: "api.test" },
          { name: "x-company-id", value: "c" },
        ],
        postData: { mimeType: "application/json", text: '{"amount":1}' },
      },
      response: {
        ...plain.response,
        content: {
          size: 6,
          mimeType: "application/json",
          encoding: "base64",
          text: Buffer.from('{"é":1}').toString("base64"),
        },
      },
    });
    expect(exchange!.headers).toEqual([["x-company-id", "c"]]);
    expect(new Date(exchange!.startedAt).toISOString()).toBe("2026-01-15T09:00:00.123Z");
    expect([textOf(exchange!.body), textOf(exchange!.answer!.body)]).toEqual(['{"amount":1}', '{"é":1}']);
  });

  it("mitmproxy: no postData, null members", async () => {
    const [exchange] = await read({
      ...plain,
      request: { method: "get", url: "https://api.test/v1/balance", headers: [], postData: null },
      response: { status: 200, headers: [], content: { text: null } },
      comment: null,
    });
    expect(exchange).toMatchObject({ method: "GET", body: undefined, answer: { status: 200 }, comment: undefined });
    expect(exchange!.answer!.body).toHaveLength(0);
  });

  it("exporters of HTTP clients: only what is necessary", async () => {
    const [exchange] = await read({
      startedDateTime: "2026-01-15T09:00:00Z",
      request: { method: "GET", url: "http://127.0.0.1/v1/balance" },
      response: { status: 200 },
    });
    expect(exchange).toMatchObject({ ms: 0, headers: [], answer: { status: 200, headers: [] } });
  });

  it("a compressed body", async () => {
    const text = gzipSync('{"a":1}').toString("base64");
    const [exchange] = await read({ ...plain, response: { status: 200, content: { encoding: "base64", text } } });
    expect(textOf(exchange!.answer!.body)).toBe('{"a":1}');
  });

  it("a form as its fields", async () => {
    const postData = { params: [{ name: "a", value: "1 2" }] };
    const [exchange] = await read({ ...plain, request: { ...plain.request, postData } });
    expect(textOf(exchange!.body)).toBe("a=1+2");
  });

  it("a request without an answer", async () => {
    const [exchange] = await read({ ...plain, response: { status: 0, _error: "net::ERR_EMPTY_RESPONSE" } });
    expect(exchange!.answer).toBeUndefined();
  });

  it("the tunnels of a proxy, which are no calls", async () => {
    const tunnel = { ...plain, request: { method: "CONNECT", url: "api.test:443" } };
    const methods = ["TRACE", "track"].map((method) => ({ ...plain, request: { ...plain.request, method } }));
    expect(await read(tunnel, plain, ...methods)).toHaveLength(1);
  });

  it("web sockets, and what a browser does not send over HTTP", async () => {
    const urls = [
      "wss://shop.test/hot",
      "data:image/png;base64,AAAA",
      "blob:https://shop.test/1",
      "chrome-extension://a/b.js",
    ];
    const others = urls.map((url) => ({ ...plain, request: { ...plain.request, method: "GET", url } }));
    expect(await read(...others, plain)).toMatchObject([{ place: urls.length }]);
  });

  it("a byte order mark", async () => {
    expect(await readText(`\uFEFF${JSON.stringify({ log: { entries: [plain] } })}`)).toHaveLength(1);
  });
});

describe("what cannot be read", () => {
  it.each([
    ["text", "it is not JSON (", "GET / HTTP/1.1"],
    ["nothing", "its JSON ends too early, so the recording was probably cut off.", ""],
    [
      "a part",
      "its JSON ends too early, so the recording was probably cut off.",
      '{"log":{"entries":[{"request":{"a":',
    ],
    ["lists in lists", "it is nested deeper than 200 levels.", "[".repeat(100_000)],
    ["another document", "it has no entries (log.entries)", '{"log":{}}'],
    ["a list", "it has no entries (log.entries)", "[1, 2]"],
  ])("%s", async (_, why, text) => {
    await expect(readText(text)).rejects.toThrow(`traffic.har as an HTTP archive (HAR): ${why}`);
  });

  it.each([
    ["request.url must be", { ...plain, request: { method: "GET", url: "/v1/balance" } }],
    ["request.method must be an HTTP method", { ...plain, request: { ...plain.request, method: "POST\r\nX" } }],
    ["response must be", { ...plain, response: null }],
    ["response.status must be an HTTP status", { ...plain, response: { status: "201" } }],
    ["startedDateTime", { ...plain, startedDateTime: "yesterday" }],
    ["request.headers must be a list", { ...plain, request: { ...plain.request, headers: {} } }],
    ["it must be a JSON object", 7],
  ])("names the entry and the reason: %s", async (why, wrong) => {
    const failure = await read(plain, wrong).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(Error);
    expect((failure as Error).message).toMatch(/\(HAR\): entry 1(?: \((?:GET|POST) [^?]*\))?: /);
    expect((failure as Error).message).toContain(why);
  });

  it("a body that is not gzip after all", async () => {
    const text = Buffer.from([0x1f, 0x8b, 1, 2, 3]).toString("base64");
    await expect(read({ ...plain, response: { status: 200, content: { encoding: "base64", text } } })).rejects.toThrow(
      /entry 0 \(POST https:\/\/api\.test\/v1\/charges\) of .*: its body is not valid gzip/,
    );
  });

  it("a body that a few bytes unpack to more than memory", async () => {
    const text = gzipSync(Buffer.alloc(5 * 1024 * 1024, " ")).toString("base64");
    await expect(read({ ...plain, response: { status: 200, content: { encoding: "base64", text } } })).rejects.toThrow(
      "its body is not valid gzip of at most 4 MiB",
    );
  });

  it("a folder, and a file that is missing", async () => {
    const folder = await folderWith({});
    await expect(readHar(folder).next()).rejects.toThrow("it is a folder");
    await expect(readHar(join(folder, "none.har")).next()).rejects.toThrow("there is no such file");
  });
});

it("what is written is valid HAR 1.2, and is read as it was", async () => {
  const exchange: HttpExchange = {
    startedAt: Date.UTC(2026, 0, 15),
    ms: 3,
    method: "POST",
    url: "http://127.0.0.1/hooks?a=1&b=%20",
    headers: [
      ["Content-Type", "application/json"],
      ["x-twice", "1"],
      ["x-twice", "2"],
    ],
    body: Uint8Array.of(0xff, 0x00, 0xfe),
    answer: { status: 302, headers: [["Location", "/there"]], body: Buffer.from("é\u2028") },
    comment: "a remark",
  };
  const lost: HttpExchange = { ...exchange, body: undefined, answer: undefined, comment: undefined };
  const text = [...harParts([exchange, lost])].join("");
  expect(problemsOfHar(JSON.parse(text))).toEqual([]);
  const [first, second] = await readText(text);
  expect({
    ...first,
    body: [...first!.body!],
    answer: { ...first!.answer, body: textOf(first!.answer!.body) },
  }).toEqual({ ...exchange, place: 0, body: [0xff, 0x00, 0xfe], answer: { ...exchange.answer, body: "é\u2028" } });
  expect(second).toEqual({ ...lost, place: 1 });
});
