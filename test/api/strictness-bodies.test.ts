import { describe, expect, it } from "vitest";
import { describeApi, useWorlds } from "../support/describe-api.js";
import { chargeRequest } from "../support/requests.js";
import { anError } from "../support/shapes.js";
import { WORLD_START } from "../support/world.js";

const bodied = ["/v1/transactions", "/v1/transactions/batch", "/v1/charges", "/v1/webhooks"];
const optional = ["/v1/charges/x/pay", "/v1/charges/x/refund"];

describeApi("a body", (open) => {
  it.each([...bodied, ...optional])("of %s that is not JSON is 400 and says where", async (path) => {
    const { api } = await open();
    for (const [text, reason] of [
      ["{", ": it ends too early"],
      ['{"amount":', ": it ends too early"],
      ['{"amount":"5', ": it ends too early"],
      [" ", ": it ends too early"],
      ['{"amount":}', ': unexpected "}"'],
      ['{"amount":NaN}', ': unexpected "N"'],
      ['{"amount":Infinity}', ': unexpected "I"'],
      ['{"amount":+5}', ': unexpected "+"'],
      ["{'amount':5}", ": unexpected character at position 1"],
      ["{amount:5}", ": unexpected character at position 1"],
      ['{"amount":5,}', ": unexpected character at position 12"],
      ['{"amount":05}', ": unexpected character at position 11"],
      ['{"amount":5}}', ": unexpected character at position 12"],
      ["amount=5", ': unexpected "a"'],
      ["<amount/>", ': unexpected "<"'],
      ["undefined", ': unexpected "u"'],
      ["\ufeff{}", ": it must not begin with a byte order mark"],
    ] as const) {
      const { status, body } = await api("POST", path, text);
      expect({ text, status, message: body.message }).toEqual({
        text,
        status: 400,
        message: [expect.stringMatching(/^The body is not JSON/)],
      });
      // The parser's messages differ between releases of Node, except for texts that end too early.
      if (reason.includes("early") || reason.includes("mark"))
        expect(body.message).toEqual([`The body is not JSON${reason}`]);
      expect(body.message[0]).not.toContain("amount");
    }
  });

  it.each(bodied)("of %s that is not an object is 400", async (path) => {
    const { api } = await open();
    for (const [json, got] of [
      ["null", "got null"],
      ["[]", "got a list of 0"],
      ["[{}]", "got a list of 1"],
      ['"x"', 'got "x"'],
      ["5", "got 5"],
      ["true", "got true"],
    ]) {
      const { status, body } = await api("POST", path, json);
      expect(status).toBe(400);
      expect(body).toEqual(anError(400, path, [`body must be a JSON object, ${got}`], WORLD_START));
    }
  });

  it.each(bodied)("of %s that is missing is 400, whatever its content type", async (path) => {
    const { api } = await open();
    for (const type of [null, "application/json", "text/plain"]) {
      const { status, body } = await api("POST", path, undefined, { "content-type": type });
      expect(status).toBe(400);
      expect(body.message).toEqual(["body must be a JSON object, but it is missing"]);
    }
  });

  it.each([...bodied, ...optional])("of %s with another content type is 415", async (path) => {
    const { api } = await open();
    for (const type of [
      "text/plain",
      "text/json",
      "application/jsonp",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/xml",
      "json",
    ]) {
      const { status, body } = await api("POST", path, "{}", { "content-type": type });
      expect({ type, status }).toEqual({ type, status: 415 });
      expect(body).toEqual(anError(415, path, [`content-type must be application/json, got "${type}"`], WORLD_START));
    }
  });

  it.each([
    "application/json",
    "application/json; charset=utf-8",
    "APPLICATION/JSON",
    "application/json ;x=y",
    "application/vnd.api+json",
  ])("with the content type %s is taken", async (type) => {
    const { api } = await open();
    expect((await api("POST", "/v1/charges", chargeRequest(), { "content-type": type })).status).toBe(201);
  });

  it("that is compressed is 415", async () => {
    const { api } = await open();
    const { status, body } = await api("POST", "/v1/charges", "{}", { "content-encoding": "gzip" });
    expect(status).toBe(415);
    expect(body.message).toEqual(["content-encoding must be absent: compressed bodies are not accepted"]);
    expect((await api("POST", "/v1/charges", chargeRequest(), { "content-encoding": "identity" })).status).toBe(201);
  });

  it("of a GET or DELETE is ignored", async () => {
    const { api } = await open();
    const { id } = (await api("POST", "/v1/webhooks", { topic: "charges/events", url: "https://a.test" })).body;
    expect((await api("DELETE", `/v1/webhooks/${id}`, "not json")).status).toBe(204);
  });

  it("may be as large as 1 MiB, and not a byte larger", async () => {
    const { api } = await open();
    const of = (bytes: number): string => {
      const request = JSON.stringify(chargeRequest());
      return request.padEnd(bytes, " ");
    };
    expect((await api("POST", "/v1/charges", of(1_048_576))).status).toBe(201);
    const { status, body } = await api("POST", "/v1/charges", of(1_048_577));
    expect(status).toBe(413);
    expect(body).toEqual(anError(413, "/v1/charges", ["The body must be at most 1048576 bytes"], WORLD_START));
  });

  it("is measured in bytes, not in characters", async () => {
    const { api } = await open({ profile: { server: { bodyLimit: 1_000 } } });
    const request = JSON.stringify(chargeRequest({ description: "é".repeat(450) }));
    expect(request.length).toBeLessThan(1_000);
    expect((await api("POST", "/v1/charges", request)).status).toBe(413);
  });

  it("may be nested 200 levels deep, even in unknown fields, and no deeper", async () => {
    const { api } = await open();
    const lists = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const withUnknown = (depth: number): string =>
      JSON.stringify(chargeRequest()).replace(/}$/, `,"unknown":${lists(depth)}}`);
    expect((await api("POST", "/v1/charges", withUnknown(199))).status).toBe(201);
    for (const body of [withUnknown(200), withUnknown(200_000), `{"amount":${lists(200_000)}}`, lists(300_000)]) {
      const answer = await api("POST", "/v1/charges", body);
      expect({ status: answer.status, message: answer.body.message }).toEqual({
        status: 400,
        message: ["The body is nested deeper than 200 levels"],
      });
    }
    const metadata = JSON.stringify(chargeRequest()).replace(/}$/, `,"metadata":{"a":${lists(101)}}}`);
    expect((await api("POST", "/v1/charges", metadata)).body.message[0]).toMatch(/^metadata must be an object, nested/);
  });

  it("may have 55 000 members, and no more", async () => {
    const { api } = await open();
    const request = chargeRequest();
    const own = Object.keys(request).length;
    const withMembers = (count: number): string => {
      const others = Array.from({ length: count - own }, (_, index) => `"${index.toString(36)}":0`);
      return JSON.stringify(request).replace(/}$/, `,${others.join(",")}}`);
    };
    expect((await api("POST", "/v1/charges", withMembers(55_000))).status).toBe(201);
    const { status, body } = await api("POST", "/v1/charges", withMembers(55_001));
    expect(status).toBe(400);
    expect(body.message).toEqual(["The body has more than 55000 members"]);
  });

  it.each(["{}", "[]", "1"])(
    "is not parsed when its size in memory would be far more than its bytes: %s",
    async (value) => {
      const { api } = await open({ profile: { server: { bodyLimit: 8_388_608 } } });
      const listOf = (bytes: number): string =>
        `[${`${value},`.repeat(Math.floor((bytes - 4) / (value.length + 1)))}{}]`;
      const { status, body } = await api("POST", "/v1/charges", listOf(8_388_608));
      expect(status).toBe(400);
      expect(body.message).toEqual(["The body has too many values for its size: it would take too much memory"]);
      expect((await api("POST", "/v1/charges", listOf(524_288))).body.message[0]).toMatch(
        /^body must be a JSON object/,
      );
    },
  );

  it("with a duplicate key takes the last value", async () => {
    const { api } = await open();
    const request = JSON.stringify(chargeRequest()).replace(/}$/, ',"amount":777}');
    expect((await api("POST", "/v1/charges", request)).body.amount).toBe(777);
  });

  it("with a key __proto__ or constructor is like any other", async () => {
    const { api } = await open();
    const { status, body } = await api(
      "POST",
      "/v1/charges",
      '{"__proto__":{"amount":5},"constructor":{"prototype":{"amount":5}}}',
    );
    expect(status).toBe(400);
    expect(body.message).toHaveLength(5);
    expect(Object.hasOwn(Object.prototype, "amount")).toBe(false);
  });

  it("is accepted together with a query", async () => {
    const { api } = await open();
    expect((await api("POST", "/v1/charges?amount=5&debug", chargeRequest())).status).toBe(201);
  });
});

describe("a reset while a body is still coming", () => {
  const open = useWorlds();

  it("gives the request to the new company", async () => {
    const { app, api, control } = await open();
    const text = JSON.stringify(chargeRequest());
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(Buffer.from(text.slice(0, 20)));
        expect((await control("POST", "/reset")).status).toBe(200);
        controller.enqueue(Buffer.from(text.slice(20)));
        controller.close();
      },
    });
    const headers = {
      authorization: "Bearer at_sandbox",
      "x-company-id": "company_sandbox",
      "content-type": "application/json",
    };
    const answer = await app.request("/v1/charges", { method: "POST", headers, body, duplex: "half" });
    expect(answer.status).toBe(201);
    const { id } = JSON.parse(await answer.text());
    expect((await api("GET", `/v1/charges/${id}`)).status).toBe(200);
  });
});
