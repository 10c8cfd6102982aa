import { describe, expect, it } from "vitest";
import { BODY_IS_CUT, type HttpExchange } from "../../src/adapters/har/http-exchange.js";
import { renderHarEntry } from "../../src/adapters/har/write-har.js";
import { createExchangeRedactor } from "../../src/calibration/proxy/redact-exchange.js";
import { longestStop } from "../support/loop-stops.js";

const redactOptions = { secretKey: "sk_1", signatureHeader: "x-service-hmac-sha256", fields: [] };
const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

describe("redaction", () => {
  const exchange: HttpExchange = {
    startedAt: 0,
    ms: 1,
    method: "POST",
    url: "https://api.test/v1/charges?key=at_1",
    headers: [
      ["Authorization", "Bearer at_1"],
      ["Cookie", "session=at_1"],
      ["X-Note", "at_1"],
    ],
    body: Buffer.from('{"msisdn":"+2250711223344","note":"sk_1","name":"Awa"}'),
    answer: {
      status: 200,
      headers: [["Set-Cookie", "session=2"]],
      body: Buffer.from('{"data":[{"msisdn":"2250711223344","test":{"msisdn":"+2250700000001"}}]}'),
    },
  };

  it("hides the token, the secret key and cookies, wherever they are", () => {
    const redacted = createExchangeRedactor(redactOptions)(exchange, "service");
    const text = JSON.stringify({ ...redacted, body: textOf(redacted.body), answer: textOf(redacted.answer?.body) });
    expect(text).not.toMatch(/at_1|sk_1|session/);
    expect(JSON.parse(textOf(redacted.body))).toEqual({ msisdn: "+2250711223344", note: "[redacted]", name: "Awa" });
  });

  const [token, secretKey] = ["at_live_6f1c0e2b9d", "sk_live_93b1aa07cc"];
  const both = `${token} ${secretKey}`;
  const twice = JSON.stringify({ inner: JSON.stringify({ note: `x ${token}`, key: secretKey }) });

  it.each<[string, Partial<HttpExchange>]>([
    [
      "headers",
      {
        headers: [
          ["X-Note", both],
          ["Cookie", both],
          ["Proxy-Authorization", both],
          [token, "x"],
        ],
      },
    ],
    ["the query", { url: `https://api.test/v1/balance?token=${token}&b=${encodeURIComponent(secretKey)}` }],
    ["the path", { url: `https://api.test/v1/charges/${token}/${secretKey}` }],
    ["user info", { url: `https://${token}:${secretKey}@api.test/v1/balance` }],
    ["JSON", { body: Buffer.from(JSON.stringify({ [token]: { deep: [secretKey] } })) }],
    ["JSON in JSON in JSON", { body: Buffer.from(JSON.stringify({ outer: twice })) }],
    ["a form", { body: Buffer.from(`a=${token}&b=${secretKey}&c=%61t_live_6f1c0e2b9d`) }],
    ["base64", { body: Buffer.from(JSON.stringify({ proof: Buffer.from(`user:${both}`).toString("base64") })) }],
    ["text that is not UTF-8", { body: Buffer.concat([Buffer.of(0xff), Buffer.from(both)]) }],
    [
      "the answer and its cookies",
      {
        answer: {
          status: 400,
          headers: [
            ["Set-Cookie", both],
            ["X-Echo", both],
          ],
          body: Buffer.from(twice),
        },
      },
    ],
  ])("hides the token and the secret key in %s", (_, given) => {
    const redact = createExchangeRedactor({ ...redactOptions, secretKey });
    const headers = [...(given.headers ?? []), ["Authorization", `Bearer ${token}`] as const];
    const text = renderHarEntry(redact({ ...exchange, body: undefined, ...given, headers }, "service"));
    const decoded = text.replaceAll(
      /[\w+/]{16,}=*/g,
      (run) => `${run} ${Buffer.from(run, "base64").toString("latin1")}`,
    );
    expect(decoded).not.toMatch(/live_6f1c0e2b9d|live_93b1aa07cc/);
    expect(JSON.parse(text)).toMatchObject({ request: { method: "POST" } });
  });

  it("hides the secret key after a thousand other credentials", () => {
    const redact = createExchangeRedactor({ ...redactOptions, secretKey });
    for (let n = 0; n <= 1_000; n++)
      redact({ ...exchange, headers: [["Cookie", `session=live_${n}_6f1c`]] }, "service");
    const body = Buffer.from(JSON.stringify({ note: `x ${secretKey}` }));
    expect(textOf(redact({ ...exchange, body }, "service").body)).toBe('{"note":"x [redacted]"}');
  });

  it("hides named fields; a phone number becomes one pseudonym, and test numbers stay", () => {
    const redact = createExchangeRedactor({ ...redactOptions, fields: ["msisdn", "Name"] });
    const first = redact(exchange, "service");
    const { msisdn, name } = JSON.parse(textOf(first.body));
    expect([msisdn, name]).toEqual([expect.stringMatching(/^\+22599\d{8}$/), "[redacted]"]);
    const [row] = JSON.parse(textOf(first.answer?.body)).data;
    expect(row).toEqual({ msisdn: msisdn.slice(1), test: { msisdn: "+2250700000001" } });
    const again = redact({ ...exchange, url: "https://api.test/v1/customers?msisdn=%2B2250711223344" }, "service");
    expect(JSON.parse(textOf(again.body)).msisdn).toBe(msisdn);
    expect(again.url).not.toContain("0711223344");
  });

  it.each<[string, string, Partial<HttpExchange>]>([
    ["in recipientMsisdn", "2250711223344", { body: Buffer.from('{"data":{"recipientMsisdn":"2250711223344"}}') }],
    ["in another form elsewhere", "0711223344", { body: Buffer.from('{"msisdn":"+2250711223344","x":"0711223344"}') }],
    ["with a long prefix", "0711223344", { body: Buffer.from('{"msisdn":"0711223344","x":"002250711223344"}') }],
    ["written in groups", "0711223344", { body: Buffer.from('{"msisdn":"+225 07 11-22 33 44","x":"2250711223344"}') }],
    [
      "in groups elsewhere",
      "07/11.22-33",
      { body: Buffer.from('{"msisdn":"0711223344","x":"(225) 07/11.22-33\u00a044"}') },
    ],
    ["as a number", "2250711223344", { body: Buffer.from('{"msisdn":2250711223344}') }],
    ["in a list", "2250711223344", { body: Buffer.from('{"msisdn":["2250711223344"]}') }],
    ["among other digits", "0711223344", { body: Buffer.from('{"msisdn":"0711223344","ref":"2026011507112233449"}') }],
    [
      "in JSON in a query",
      "0711223344",
      { url: "https://a.test/?msisdn=0711223344&q=%7B%22x%22%3A%2207112233440%22%7D" },
    ],
    ["in a parameter with brackets", "0711223344", { url: "https://a.test/?filter%5Bmsisdn%5D=0711223344" }],
    ["in a form", "0711223344", { body: Buffer.from("amount=1&msisdn=0711223344") }],
    ["in a header", "0711223344", { headers: [["X-Payer-Msisdn", "0711223344"]] }],
  ])("hides a phone number %s", (_, number, given) => {
    const redact = createExchangeRedactor({ ...redactOptions, fields: ["msisdn"] });
    const text = renderHarEntry(redact({ ...exchange, body: undefined, answer: undefined, ...given }, "service"));
    expect(text).not.toContain(number);
  });

  const shown = {
    status: 200,
    headers: [["Location", "/x/0711223344"]] as const,
    body: Buffer.from('{"note":"0711223344"}'),
  };
  it.each<[string, Partial<HttpExchange>]>([
    ["the query", { url: "https://api.test/?msisdn=0711223344", answer: shown }],
    ["the request", { body: Buffer.from('{"msisdn":"0711223344"}'), answer: shown }],
    ["a header", { headers: [["X-Msisdn", "+2250711223344"]], answer: shown }],
    [
      "the answer",
      {
        body: Buffer.from('{"reference":"sal-0711223344"}'),
        answer: { ...shown, body: Buffer.from('{"recipientMsisdn":"+2250711223344"}') },
      },
    ],
  ])("hides a phone number in all parts of an exchange that first shows it in %s", (_, given) => {
    const redact = createExchangeRedactor({ ...redactOptions, fields: ["msisdn"] });
    const text = renderHarEntry(redact({ ...exchange, headers: [], body: undefined, ...given }, "service"));
    expect(text).not.toContain("0711223344");
  });

  it.each([
    '"123"',
    '"20261"',
    '" 0711223344"',
    '"+225 07 11 22 33 44"',
    '"01234567890123456789"',
    "2250711223344",
    "711223344",
  ])("keeps the form of %s, which the service may refuse", (value) => {
    const redact = createExchangeRedactor({ ...redactOptions, fields: ["msisdn"] });
    const body = textOf(redact({ ...exchange, body: Buffer.from(`{"msisdn":${value}}`) }, "service").body);
    const form = (text: string) => text.replaceAll(/\d/g, "0");
    expect(form(body)).toBe(form(`{"msisdn":${value}}`));
    expect(body).not.toContain(value);
  });

  it("takes no time for numbers of many lengths", async () => {
    const numbers = Array.from({ length: 300 }, (_, index) => ({ msisdn: "9".padEnd(8 + index, String(index)) }));
    const body = Buffer.from(JSON.stringify([numbers, "12345678".repeat(8_000)]));
    const redact = createExchangeRedactor({ ...redactOptions, fields: ["msisdn"] });
    expect(await longestStop(async () => void redact({ ...exchange, body }, "service"))).toBeLessThan(1_000);
  });

  it.each<[string, string]>([
    ["a bare token", "live_6f1c0e2b9d"],
    ["another scheme", "Token live_6f1c0e2b9d"],
    ["two words", "Bearer live_6f1c0e2b9d please"],
    ["a tab", "Bearer\tlive_6f1c0e2b9d"],
    ["the scheme twice", "Bearer Bearer live_6f1c0e2b9d"],
    ["quotes", 'Bearer "live_6f1c0e2b9d"'],
    ["Basic", `Basic ${Buffer.from("shop:live_6f1c0e2b9d").toString("base64")}`],
  ])("hides a token that the service repeats, of an Authorization with %s", (_, authorization) => {
    const body = Buffer.from('{"message":"live_6f1c0e2b9d is not a token"}');
    const headers = [["Authorization", authorization]] as const;
    const redact = createExchangeRedactor(redactOptions);
    const text = renderHarEntry(
      redact({ ...exchange, headers, answer: { status: 401, headers: [], body } }, "service"),
    );
    expect(text).not.toContain("live_6f1c0e2b9d");
  });

  it.each<[string, Partial<HttpExchange>]>([
    ["X-Api-Key", { headers: [["X-Api-Key", "live_6f1c0e2b9d"]] }],
    ["a cookie", { headers: [["Cookie", "a=b; session=live_6f1c0e2b9d"]] }],
    ["a cookie in quotes", { headers: [["Cookie", 'session="live_6f1c0e2b9d"; a=b']] }],
    ["a query", { url: "https://api.test/v1/balance?access_token=live_6f1c0e2b9d" }],
  ])("hides the credentials of %s", (_, given) => {
    const body = Buffer.from('{"message":"live_6f1c0e2b9d is unknown"}');
    const answer = { status: 401, headers: [], body };
    const text = renderHarEntry(createExchangeRedactor(redactOptions)({ ...exchange, ...given, answer }, "service"));
    expect(text).not.toContain("live_6f1c0e2b9d");
  });

  it("hides a cookie in the answer that sets it", () => {
    const body = Buffer.from('{"sessionId":"live_6f1c0e2b9d"}');
    const headers = [
      ["Set-Cookie", "lang=fr"],
      ["set-cookie", "session=live_6f1c0e2b9d; HttpOnly"],
    ] as const;
    const answer = { status: 200, headers, body };
    const redacted = createExchangeRedactor(redactOptions)({ ...exchange, answer }, "service");
    expect(renderHarEntry(redacted)).not.toContain("live_6f1c0e2b9d");
  });

  it.each<[string, Partial<HttpExchange>]>([
    [
      "an issued token",
      {
        body: undefined,
        answer: { status: 200, headers: [], body: Buffer.from('{"access_token":"live_6f1c0e2b9d"}') },
      },
    ],
    ["a secret that buys one", { body: Buffer.from('{"grant":{"clientSecret":"live_6f1c0e2b9d"}}') }],
    ["a form", { body: Buffer.from("grant_type=password&password=live_6f1c0e2b9d") }],
    ["a query", { url: "https://api.test/v1/balance?apiKey=live_6f1c0e2b9d" }],
    ["a header", { headers: [["Ocp-Apim-Subscription-Key", "live_6f1c0e2b9d"]] }],
    ["a header X-Api-Token", { headers: [["X-Api-Token", "live_6f1c0e2b9d"]] }],
    ["the key of a merchant", { body: Buffer.from('{"merchant_key":"live_6f1c0e2b9d"}') }],
    ["a list of headers", { body: Buffer.from('{"headers":{"Authorization":"Bearer live_6f1c0e2b9d"}}') }],
    ["an escaped name", { body: Buffer.from(String.raw`{"\u0070in":"live_6f1c0e2b9d"}`) }],
    ["a form with spaces", { body: Buffer.from("a=b c&flag&password=live_6f1c0e2b9d\r\n") }],
    ["JSON in JSON", { body: Buffer.from(JSON.stringify({ sent: '{"password":"live_6f1c0e2b9d"}' })) }],
    ["a parameter in quotes", { headers: [["X-Auth", 'Digest realm="a", token="live_6f1c0e2b9d"']] }],
    ["a long list of parameters", { body: Buffer.from("a=1;b=2;c=3;d=4;e=5;password=live_6f1c0e2b9d;f=6") }],
    ["a URL without a user", { body: Buffer.from('{"cache":"redis://:live_6f1c0e2b9d@cache.test/0"}') }],
    ["JSON in another text", { body: Buffer.from('error: {"a": 1, "access_token" : "live_6f1c0e2b9d"}') }],
    ["JSON in a message", { body: Buffer.from(JSON.stringify({ message: 'it said {"pin":"live_6f1c0e2b9d"}.' })) }],
    [
      "escaped JSON in a message",
      { body: Buffer.from(JSON.stringify({ message: `it said ${JSON.stringify('{"pin":"live_6f1c0e2b9d"}')}.` })) },
    ],
    ["a number in JSON in another text", { body: Buffer.from('error: {"pin":60910234567890123}live_') }],
    ["a form in JSON", { body: Buffer.from('{"sent":"a=1&client_secret=live_6f1c0e2b9d"}') }],
    ["JSON in a query", { url: "https://api.test/v1/x?q=%7B%22api_key%22%3A%22live_6f1c0e2b9d%22%7D" }],
    ["a URL in a query", { url: "https://api.test/v1/x?to=https%3A%2F%2Fb.test%2F%3Ftoken%3Dlive_6f1c0e2b9d" }],
    ["the URL of a webhook", { body: Buffer.from('{"url":"https://shop.test/hooks?token=live_6f1c0e2b9d"}') }],
    ["the user of a URL", { body: Buffer.from('{"url":"https://shop:live_6f1c0e2b9d@shop.test/hooks"}') }],
    [
      "a redirection",
      {
        answer: {
          status: 302,
          headers: [["Location", "https://shop.test/#access_token=live_6f1c0e2b9d"]],
          body: Buffer.alloc(0),
        },
      },
    ],
    [
      "a request, and in the answer that repeats it",
      {
        body: Buffer.from("client_secret=live_6f1c0e2b9d"),
        answer: { status: 400, headers: [], body: Buffer.from('{"message":"live_6f1c0e2b9d is wrong"}') },
      },
    ],
  ])("hides a credential by its name, in %s", (_, given) => {
    const text = renderHarEntry(createExchangeRedactor(redactOptions)({ ...exchange, ...given }, "service"));
    expect(text).not.toMatch(/live_6f1c0e2b9d|60910234567890123/);
  });

  it.each([
    'error: {"note":"a","pins":1,"ship":"pin","tokens":"x"} of "pin"',
    '{"note":"[URGENT] a=b & c=d; e = {f}","big":12345678901234567890,"f":1.0}',
    String.raw`{"metadata":{"q":"{ \"a\" : 1 }","u":"https://x.test/y?a=1&b=%20c#f","pinned":"no"}}`,
    '{"reference":"20260115-0001","shipping":5,"pageToken":"MTU="}',
    "a=1&b=2+3&c=%C3%A9",
    '{"amount": 5000,',
  ])("leaves %s as it is", (text) => {
    const redacted = createExchangeRedactor(redactOptions)({ ...exchange, body: Buffer.from(text) }, "service");
    expect(textOf(redacted.body)).toBe(text);
  });

  it("keeps what only looks like the name of a credential", () => {
    const headers = [["Idempotency-Key", "order-1"]] as const;
    const body = Buffer.from('{"tokens":50.5,"monkey":"a","message":"no access token"}');
    expect(createExchangeRedactor(redactOptions)({ ...exchange, headers, body }, "service")).toMatchObject({
      headers,
      body,
    });
  });

  it("hides named parameters of a query, also of numbers that no body has", () => {
    const redact = createExchangeRedactor({ ...redactOptions, fields: ["msisdn", "Name"] });
    const url = "https://api.test/v1/transactions/customers/check?a=%20b&msisdn=%2B2250711223344&NAME=Awa&msisdn=1";
    const asked = redact({ ...exchange, url, body: undefined, answer: undefined }, "service").url;
    expect(asked).toMatch(/\/check\?a=%20b&msisdn=%2B22599\d{8}&NAME=(?:%5B)?redacted(?:%5D)?&msisdn=\d$/);
    const { msisdn } = JSON.parse(textOf(redact(exchange, "service").body));
    expect(new URL(asked).searchParams.get("msisdn")).toBe(msisdn);
  });

  it("hides the whole body if it is nested too deep to search for named fields, but not an empty body", () => {
    const redact = createExchangeRedactor({ ...redactOptions, fields: ["name"] });
    const deep = Buffer.from(`${'{"name":"Awa","in":['.repeat(20_000)}1${"]}".repeat(20_000)}`);
    const { body, answer } = redact(
      { ...exchange, body: Buffer.alloc(0), answer: { ...exchange.answer!, body: deep } },
      "service",
    );
    expect([textOf(body), textOf(answer?.body)]).toEqual(["", "[redacted]"]);
  });

  it("hides the whole body if too many texts in it only begin like JSON, but not a list of descriptions", () => {
    const redact = createExchangeRedactor(redactOptions);
    const bodyOf = (text: string): string => textOf(redact({ ...exchange, body: Buffer.from(text) }, "receiver").body);
    expect([bodyOf("a=[&".repeat(60_000)), bodyOf(`[${'"{",'.repeat(60_000)}1]`)]).toEqual([
      "[redacted]",
      "[redacted]",
    ]);
    const batch = JSON.stringify(Array.from({ length: 500 }, () => ({ reference: "[1", description: "[VIP] shoes" })));
    expect(bodyOf(batch)).toBe(batch);
    expect(bodyOf(JSON.stringify({ text: '{"password":"hunter2x"}' }))).not.toContain("hunter2x");
  });

  it("hides a URL with too many such texts, and its headers as usual", () => {
    const url = `https://api.test/v1/charges?${"a=[&".repeat(2_500)}in={"password":"hunter2x"}`;
    const headers = [["Referer", "https://shop.test/?password=hunter3x"]] as const;
    const redacted = createExchangeRedactor(redactOptions)({ ...exchange, url, headers }, "receiver");
    expect([redacted.url, JSON.stringify(redacted.headers)]).toEqual([
      "https://api.test/[redacted]",
      expect.not.stringContaining("hunter3x"),
    ]);
  });

  it.each([
    ["valid", '{"msisdn":"+2250711223344","note":"sk_1","name":"Awa"}', redactOptions.secretKey],
    ["invalid", "{}", redactOptions.secretKey],
    ["unverified", "{}", undefined],
  ])("keeps the verdict of a signature: %s", async (verdict, body, secretKey) => {
    const { signBody } = await import("../../src/domain/deliveries/sign-delivery.js");
    const signature = signBody(Buffer.from(exchange.body!), "sk_1");
    const webhook = { ...exchange, headers: [["X-Service-Hmac-Sha256", signature]] as const, body: Buffer.from(body) };
    const redacted = createExchangeRedactor({ ...redactOptions, secretKey })(webhook, "receiver");
    expect(redacted).toMatchObject({ signature: verdict, headers: [["X-Service-Hmac-Sha256", "[redacted]"]] });
    expect(createExchangeRedactor(redactOptions)({ ...webhook, headers: [] }, "receiver").signature).toBe("missing");
    const cut = createExchangeRedactor({ ...redactOptions, secretKey })(
      { ...webhook, comment: BODY_IS_CUT },
      "receiver",
    );
    expect(cut.signature).toBe(verdict === "invalid" ? "unverified" : verdict);
  });
});
