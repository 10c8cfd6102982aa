import { describe, expect, it } from "vitest";
import { describeApi } from "../support/describe-api.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { descriptionFor } from "../support/validate-answer.js";

/** Values as JSON text, as a client sends them, and as a message quotes them. */
type Wrong = readonly (readonly [json: string, got: string])[];

const notText: Wrong = [
  ["null", "null"],
  ["5", "5"],
  ["0", "0"],
  ["true", "true"],
  ["[]", "a list of 0"],
  ['["x"]', "a list of 1"],
  ["{}", "an object"],
  ['""', '""'],
];

const wrongAmounts: Wrong = [
  ["null", "null"],
  ["true", "true"],
  ['"10000"', '"10000"'],
  ['"NaN"', '"NaN"'],
  ["[10000]", "a list of 1"],
  ['{"value":10000}', "an object"],
  ["0", "0"],
  ["-0", "0"],
  ["-1", "-1"],
  ["-10000", "-10000"],
  ["0.5", "0.5"],
  ["10000.5", "10000.5"],
  ["10000.0000001", "10000.0000001"],
  ["1e400", "Infinity"],
  ["-1e400", "-Infinity"],
  ["1e21", "1e+21"],
  ["9007199254740993", "9007199254740992"],
];

const wrongTexts: Wrong = [
  ...notText,
  ['" "', '" "'],
  [String.raw`"\t\r\n "`, String.raw`"\t\r\n "`],
  [String.raw`"\u00a0\u2003\ufeff"`, '"\u00a0\u2003\ufeff"'],
];

const wrongUrls: Wrong = [
  ...notText,
  ...[
    " ",
    "/hook",
    "hook",
    "shop.test",
    "//shop.test/hook",
    "http://",
    "http:",
    "http:shop.test",
    "http:/shop.test",
    "http:///hook",
    "http://\\shop.test",
    "http://:80/",
    "http://?x",
    "http://[::1",
    "http://shop.test:65536/",
    "http://shop.test:99999/",
    "http://shop%2etest/",
    "http://shop..test:x/",
    "https://shop.test/a b",
    " https://shop.test/",
    "https://shop.test/\n",
    "https://shop.test/\u0000",
    "https://shop.test/\u00a0",
    "ht\ttps://shop.test/",
    "ftp://shop.test/",
    "ws://shop.test/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "javascript://shop.test/%0aalert(1)",
    "data:text/html,x",
    "mailto:a@shop.test",
    "about:blank",
  ].map((url) => [JSON.stringify(url), JSON.stringify(url)] as const),
];

const wrongNumbers: Wrong = [
  ...notText,
  ["2250700000001", "2250700000001"],
  ...[
    " ",
    "+",
    "00",
    "1234567",
    "+1234567",
    "1234567890123456",
    "+1234567890123456",
    "001234567890123456",
    "++2250700000001",
    "+225 0700000001",
    " 2250700000001",
    "2250700000001 ",
    "2250700000001\n",
    "+225-07-00-00-00-01",
    "0x2250700001",
    "1e10",
    "phone",
    "٠٧٠٠٠٠٠٠٠١",
    "+225070000000O",
  ].map((number) => [JSON.stringify(number), JSON.stringify(number)] as const),
];

const wrongTypes: Wrong = [
  ...notText,
  ['"Transfer"', '"Transfer"'],
  ['"transfer "', '"transfer "'],
  ['"payout"', '"payout"'],
];

const messageOf = {
  chargeAmount: "must be a whole number of XOF from 1 to 200000000",
  transferAmount: "must be a whole number of XOF from 5000 to 500000",
  reference: "must be the caller's reference, a string that is not blank",
  chargeDescription: "must be the purpose of the payment, a string that is not blank",
  transferDescription: "must be the caller's description, a string that is not blank",
  url: "must be an absolute http or https URL",
  msisdn: "must be a phone number: a string of 8 to 15 digits after an optional + or 00",
  type: 'must be "transfer"',
};

const fields = [
  ["/v1/charges", "amount", messageOf.chargeAmount, wrongAmounts],
  ["/v1/charges", "externalId", messageOf.reference, wrongTexts],
  ["/v1/charges", "description", messageOf.chargeDescription, wrongTexts],
  ["/v1/charges", "onCanceledRedirectionUrl", messageOf.url, wrongUrls],
  ["/v1/charges", "onCompletedRedirectionUrl", messageOf.url, wrongUrls],
  ["/v1/transactions", "amount", messageOf.transferAmount, wrongAmounts],
  ["/v1/transactions", "msisdn", messageOf.msisdn, wrongNumbers],
  ["/v1/transactions", "reference", messageOf.reference, wrongTexts],
  ["/v1/transactions", "type", messageOf.type, wrongTypes],
  ["/v1/transactions", "description", messageOf.transferDescription, wrongTexts],
  ["/v1/webhooks", "url", messageOf.url, wrongUrls],
] as const;

function validRequest(path: string): Record<string, unknown> {
  if (path === "/v1/charges") return chargeRequest();
  return path === "/v1/transactions" ? transferRequest() : { topic: "charges/events", url: "https://shop.test/hook" };
}

/** The valid request with one field written as this JSON text, which `JSON.stringify` could not write (1e400). */
function withField(request: Record<string, unknown>, field: string, json: string): string {
  const others = Object.entries(request).filter(([name]) => name !== field);
  return `{${others.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`).join("")}"${field}":${json}}`;
}

describe("the API description refuses what the check refuses", () => {
  const schemas = {
    "/v1/charges": "CreateCharge",
    "/v1/transactions": "CreateTransaction",
    "/v1/webhooks": "CreateWebhook",
  };

  it.each(fields)("of %s %s", (path, field, _, wrong) => {
    const description = descriptionFor();
    for (const [json] of wrong) {
      const body = JSON.parse(withField(validRequest(path), field, json));
      expect(() => description.validate(`#/components/schemas/${schemas[path]}Request`, body, json)).toThrow(json);
    }
  });
});

describeApi("each field is checked", (open) => {
  it.each(fields)("%s %s", async (path, field, message, wrong) => {
    const { api } = await open();
    for (const [json, got] of wrong) {
      const { status, body } = await api("POST", path, withField(validRequest(path), field, json));
      expect({ json, status, message: body.message }).toEqual({
        json,
        status: 400,
        message: [`${field} ${message}, got ${got}`],
      });
    }
  });

  it("in a batch's items too", async () => {
    const { api } = await open();
    const item = { amount: 5_000, msisdn: "+2250700000001", reference: "r" };
    for (const [path, field, message, wrong] of fields) {
      if (path !== "/v1/transactions") continue;
      for (const [json, got] of wrong) {
        const { status, body } = await api(
          "POST",
          "/v1/transactions/batch",
          `{"transactions":[${withField(item, field, json)}]}`,
        );
        const expected = [`transactions[0].${field} ${message}, got ${got}`];
        expect({ json, status, message: body.message }).toEqual({ json, status: 400, message: expected });
      }
    }
  });

  it("when a charge is paid", async () => {
    const { api } = await open();
    const { id } = (await api("POST", "/v1/charges", chargeRequest())).body;
    for (const [json, got] of wrongNumbers) {
      const { status, body } = await api("POST", `/v1/charges/${id}/pay`, `{"msisdn":${json}}`);
      const expected = [`msisdn ${messageOf.msisdn}, got ${got}`];
      expect({ json, status, message: body.message }).toEqual({ json, status: 400, message: expected });
    }
  });

  it("but a number may have any form that JSON allows", async () => {
    const { api } = await open();
    for (const json of ["1e4", "10000.0", "1.0E+4", "100000e-1"]) {
      const { status, body } = await api("POST", "/v1/charges", withField(chargeRequest(), "amount", json));
      expect({ json, status, amount: body.amount }).toEqual({ json, status: 201, amount: 10_000 });
    }
  });

  it.each([
    "https://shop.test",
    "HTTP://SHOP.TEST/",
    "http://localhost:3000/?a=b&c=d#e",
    "http://[::1]/",
    "https://user:pw@shop.test/",
    "https://shop.test/%20",
    "https://münchen.example/é",
    "http://10.0.0.1/",
  ])("and %s is a URL, which is returned as it was sent", async (url) => {
    const { api } = await open();
    const { id } = (await api("POST", "/v1/charges", chargeRequest({ onCompletedRedirectionUrl: url }))).body;
    expect((await api("POST", `/v1/charges/${id}/pay`)).body.webRedirectionUrl).toBe(url);
  });

  it.each([
    [" a ", " a "],
    ["\u0000", "\u0000"],
    ["Koné 💳 \ud800", "Koné 💳 \ud800"],
    ["<script>", "<script>"],
    ["x".repeat(100_000), "x".repeat(100_000)],
  ])("and a text is returned as it was sent: %j", async (text, expected) => {
    const { api } = await open();
    const { status, body } = await api("POST", "/v1/charges", chargeRequest({ externalId: text, description: text }));
    expect(status).toBe(201);
    expect([body.externalId, body.description]).toEqual([expected, expected]);
  });

  describe("a message quotes the given value, shortened", () => {
    it.each(["amount", "description"])("in %s", async (field) => {
      const { api } = await open();
      const long = field === "amount" ? "9".repeat(5_000) : " ".repeat(5_000);
      const { body } = await api("POST", "/v1/charges", chargeRequest({ [field]: long }));
      expect(body.message[0].length).toBeLessThan(200);
      expect(body.message[0]).toMatch(/…"$/);
    });

    it("in a conflict", async () => {
      const { api } = await open();
      const request = chargeRequest({ externalId: "x".repeat(5_000) });
      await api("POST", "/v1/charges", request);
      expect((await api("POST", "/v1/charges", request)).body.message).toEqual([
        `A charge with externalId "${"x".repeat(60)}…" already exists`,
      ]);
    });
  });
});
