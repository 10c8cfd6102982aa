import fc from "fast-check";
import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { urlOf } from "./request-url.js";

function ask(url: string, host: string | undefined = "shop.test:4010"): ReturnType<typeof urlOf> {
  const incoming: Pick<IncomingMessage, "url" | "headers" | "socket"> = Object.create(null, {
    url: { value: url },
    headers: { value: { host } },
    socket: { value: {} },
  });
  return urlOf(incoming as IncomingMessage, "localhost:1");
}

describe("the URL of a request", () => {
  it.each([
    ["/v1/charges?limit=2", "http://shop.test:4010/v1/charges?limit=2"],
    ["/v1/../v1/./balance", "http://shop.test:4010/v1/balance"],
    ["/v1/%2e%2e/balance", "http://shop.test:4010/balance"],
    ["/v1/a%20b", "http://shop.test:4010/v1/a%20b"],
    ["/v1/\u00e9", "http://shop.test:4010/v1/%C3%A9"],
    ["/v1//balance", "http://shop.test:4010/v1//balance"],
    ["/?a=\\", "http://shop.test:4010/?a=\\"],
    ["http://other.test/v1/balance", "http://other.test/v1/balance"],
    ["https://other.test", "https://other.test/"],
    ["HTTP://other.test/v1/balance", "http://other.test/v1/balance"],
  ])("of %s", (target, url) => expect(ask(target)).toBe(url));

  it.each([
    ["127.0.0.1:4010", "http://127.0.0.1:4010/"],
    ["[::1]:4010", "http://[::1]:4010/"],
    ["Shop.Test", "http://shop.test/"],
    ["shop.test:80", "http://shop.test/"],
    ["127.1", "http://127.0.0.1/"],
    ["[0:0::1]", "http://[::1]/"],
    ["255.249.199.0", "http://255.249.199.0/"],
    ["shop.0test", "http://shop.0test/"],
    ["", "http://localhost:1/"],
  ])("of the host %j", (host, url) => expect(ask("/", host)).toBe(url));

  it.each([
    ["*", "shop.test", "Invalid URL"],
    ["shop.test:443", "shop.test", "Invalid URL"],
    ["/v1\\balance", "shop.test", "Backslash in request path"],
    ["http://other.test\\v1", "shop.test", "Backslash in request path"],
    ["http://", "shop.test", "Invalid host header"],
    ["http://other.test:99999", "shop.test", "Invalid absolute URL"],
    ["/", "user@shop.test", "Invalid host header"],
    ["/", "shop.test/v1", "Invalid host header"],
    ["/", "shop.test?", "Invalid host header"],
    ["/", "shop\ttest", "Invalid host header"],
    ["/", "999.1.1.1", "Invalid URL"],
    ["/", "1.2.3.4.5", "Invalid URL"],
    ["/", "x.0x", "Invalid URL"],
    ["/", "08", "Invalid URL"],
    ["/", "xn--", "Invalid URL"],
    ["http:///v1/balance", "shop.test", "Invalid host header"],
    ["http://user:word@other.test/", "shop.test", "Invalid host header"],
    ["/", "shop.test:99999", "Invalid URL"],
    ["/", "a b", "Invalid host header"],
  ])("there is none of %s at %s: %s", (target, host, unreadable) => expect(ask(target, host)).toEqual({ unreadable }));

  it("is what URL makes of it, whether it was parsed or not", () => {
    const characters = fc.constantFrom(..."/.-~!$&'()*+,;=:@%?#[]{}|^`\" azAZ09é".split(""));
    const targets = fc.string({ unit: characters, maxLength: 12 }).map((rest) => `/${rest}`);
    fc.assert(
      fc.property(targets, (target) => {
        expect(ask(target)).toBe(new URL(`http://shop.test:4010${target}`).href);
      }),
      { numRuns: 5_000 },
    );
  });

  it("has the host that URL makes of it, or there is none", () => {
    const labels = fc.constantFrom(
      "a",
      "shop",
      "x-1",
      "_",
      "xn--",
      "xn--a",
      "0",
      "1",
      "08",
      "0x",
      "127",
      "256",
      "1a",
      "",
    );
    const ports = fc.constantFrom("", ":", ":80", ":4010", ":65535", ":65536", ":0080");
    const hosts = fc.tuple(fc.array(labels, { minLength: 1, maxLength: 5 }), ports);
    fc.assert(
      fc.property(hosts, ([parts, port]) => {
        const host = parts.join(".") + port;
        const url = `http://${host}/`;
        const expected = URL.canParse(url) ? new URL(url).href : { unreadable: expect.any(String) };
        if (/^[^:]/.test(host)) expect(ask("/", host)).toEqual(expected);
      }),
      { numRuns: 5_000 },
    );
  });
});
