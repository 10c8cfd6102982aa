import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { useWorlds } from "../support/describe-api.js";
import { type RawAnswer, sendAllThenRead, sendRaw } from "../support/raw-http.js";
import { chargeRequest } from "../support/requests.js";
import { anError } from "../support/shapes.js";
import { WORLD_START } from "../support/world.js";

/** Requests that no client library sends, byte by byte over a socket. */
const open = useWorlds();
const credentials =
  "host: sandbox.test\r\nconnection: close\r\nauthorization: Bearer at_sandbox\r\nx-company-id: company_sandbox\r\n";
const json = "content-type: application/json\r\n";

async function listen() {
  const world = await open();
  const url = await world.listen();
  return {
    ...world,
    raw: (...pieces: (string | Buffer)[]): Promise<RawAnswer> => sendRaw(url, pieces),
    get: (path: string, headers = ""): Promise<RawAnswer> =>
      sendRaw(url, [`GET ${path} HTTP/1.1\r\n${credentials}${headers}\r\n`]),
    post: (headers: string, ...body: (string | Buffer)[]): Promise<RawAnswer> =>
      sendRaw(url, [`POST /v1/charges HTTP/1.1\r\n${credentials}${headers}\r\n`, ...body]),
  };
}

describe("a body that is too large", () => {
  const megabytes = (count: number): string[] => Array.from({ length: count * 10 }, () => "x".repeat(100_000));
  const chunked = (pieces: string[]): string[] => pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
  const refusal = anError(413, "/v1/charges", ["The body must be at most 1048576 bytes"], WORLD_START);

  it.each([
    ["by its content-length, while it is still being sent", "content-length: 5000000", megabytes(5)],
    ["in chunks, to its end", "transfer-encoding: chunked", [...chunked(megabytes(5)), "0\r\n\r\n"]],
    ["in chunks that never end", "transfer-encoding: chunked", chunked(megabytes(20))],
    ["larger than what is read and discarded", "content-length: 30000000", megabytes(30)],
  ])("is answered with 413: %s", async (_, header, pieces) => {
    const { post } = await listen();
    const { status, body } = await post(`${json}${header}\r\n`, ...pieces);
    expect(status).toBe(413);
    expect(JSON.parse(body)).toEqual(refusal);
  });

  it.each([
    ["30000000", megabytes(30), "close"],
    ["5000000", megabytes(5), "keep-alive"],
  ])(
    "of %s bytes is answered, and the answer says whether the connection stays open",
    async (length, pieces, connection) => {
      const { raw } = await listen();
      const kept = credentials.replace("connection: close\r\n", "");
      const next = connection === "close" ? [] : [`GET /v1/balance HTTP/1.1\r\n${credentials}\r\n`];
      const head = `POST /v1/charges HTTP/1.1\r\n${kept}${json}content-length: ${length}\r\n\r\n`;
      const answer = await raw(head, ...pieces, ...next);
      expect([answer.status, answer.headers["connection"]]).toEqual([413, connection]);
    },
  );

  it.each([
    ["POST /v1/charges", "", 401],
    ["POST /v1/nope", "", 404],
    ["PUT /v1/balance", "", 405],
    ["POST /v1/charges", "authorization: Bearer at_sandbox\r\n", 400],
  ])("of %s (%j) lets the client read another refusal: %i", async (target, headers, status) => {
    const { raw } = await listen();
    const head = `${target} HTTP/1.1\r\nhost: sandbox.test\r\nconnection: close\r\n${headers}content-length: 5000000\r\n\r\n`;
    const answer = await raw(head, ...megabytes(5));
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ statusCode: status });
  });

  describe.each(["", "connection: close\r\n"])("%j", (connection) => {
    const head = `POST /v1/charges HTTP/1.1\r\n${credentials.replace("connection: close\r\n", connection)}${json}`;

    it.each([
      ["nothing of the body yet", 2_000_000, []],
      ["the whole body", 7_000_000, megabytes(7)],
    ])("is answered when the client has sent %s", async (_, length, pieces) => {
      const world = await open();
      const sent = [`${head}content-length: ${length}\r\n\r\n`, ...pieces];
      const { status, body } = await sendAllThenRead(await world.listen(), sent);
      expect(status).toBe(413);
      expect(JSON.parse(body)).toEqual(refusal);
    });

    it("in chunks is answered when the client has sent all of it", async () => {
      const world = await open();
      const sent = [`${head}transfer-encoding: chunked\r\n\r\n`, ...chunked(megabytes(7)), "0\r\n\r\n"];
      const { status, body } = await sendAllThenRead(await world.listen(), sent);
      expect(status).toBe(413);
      expect(JSON.parse(body)).toEqual(refusal);
    });

    it("lets a client without a token read its refusal", async () => {
      const world = await open();
      const sent = [
        `POST /v1/charges HTTP/1.1\r\nhost: x\r\n${connection}content-length: 7000000\r\n\r\n`,
        ...megabytes(7),
      ];
      expect((await sendAllThenRead(await world.listen(), sent)).status).toBe(401);
    });
  });

  it("is read up to 8 MiB, then the connection is cut", async () => {
    const world = await open();
    const url = await world.listen();
    const head = `POST /v1/charges HTTP/1.1\r\n${credentials}${json}content-length: 30000000\r\n\r\n`;
    await expect(sendAllThenRead(url, [head, ...megabytes(30)])).rejects.toThrow(/ECONNRESET|EPIPE/);
  });

  it.each([
    ["content-length: 2000000", "x".repeat(2_000_000)],
    ["content-length: 1048577", "x".repeat(1_048_577)],
    ["transfer-encoding: chunked", `200000\r\n${"x".repeat(2_097_152)}\r\n0\r\n\r\n`],
    ["transfer-encoding: chunked", `100001\r\n${"x".repeat(1_048_577)}\r\n0\r\n\r\n`],
  ])("leaves a connection that the client keeps usable for the next request (%s)", async (header, bytes) => {
    const { raw } = await listen();
    const keep = credentials.replace("connection: close\r\n", "");
    const first = `POST /v1/charges HTTP/1.1\r\n${keep}${json}${header}\r\n\r\n${bytes}`;
    const { status, body } = await raw(first, `GET /v1/balance HTTP/1.1\r\n${credentials}\r\n`);
    expect(status).toBe(413);
    expect(body).toContain('{"balance":10000000,"currency":"XOF"}');
  });
});

describe("a body's bytes", () => {
  const send = async (bytes: Buffer): Promise<RawAnswer> =>
    (await listen()).post(`${json}content-length: ${bytes.length}\r\n`, bytes);

  it.each([
    ["latin-1", Buffer.from('{"description":"Koné"}', "latin1")],
    ["cut within a character", Buffer.from('{"description":"é"}').subarray(0, -3)],
    ["overlong", Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ["UTF-16", Buffer.from('\ufeff{"a":1}', "utf16le")],
    ["compressed", Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0xff])],
  ])("that are not UTF-8 (%s) are 400", async (_, bytes) => {
    const { status, body } = await send(bytes);
    expect(status).toBe(400);
    expect(JSON.parse(body)).toEqual(
      anError(400, "/v1/charges", ["The body is not JSON: it is not valid UTF-8"], WORLD_START),
    );
  });

  it("that are NUL are not JSON", async () => {
    const { status, body } = await send(Buffer.alloc(3));
    expect(status).toBe(400);
    expect(JSON.parse(body).message[0]).toMatch(/^The body is not JSON/);
  });

  it("may come one by one", async () => {
    const { post } = await listen();
    const bytes = Buffer.from(JSON.stringify(chargeRequest({ description: "Koné 💳" })));
    const pieces = [...bytes].map((byte) =>
      Buffer.concat([Buffer.from("1\r\n"), Buffer.of(byte), Buffer.from("\r\n")]),
    );
    const { status, body } = await post(`${json}transfer-encoding: chunked\r\n`, ...pieces, "0\r\n\r\n");
    expect(status).toBe(201);
    expect(JSON.parse(body).description).toBe("Koné 💳");
  });

  it("may be zero, in chunks", async () => {
    const { post } = await listen();
    const { status, body } = await post("transfer-encoding: chunked\r\n", "0\r\n\r\n");
    expect(status).toBe(400);
    expect(JSON.parse(body).message).toEqual(["body must be a JSON object, but it is missing"]);
  });

  it("come after 100-continue when the client asks first", async () => {
    const { post } = await listen();
    const bytes = JSON.stringify(chargeRequest());
    const { status, body } = await post(`${json}expect: 100-continue\r\ncontent-length: ${bytes.length}\r\n`, bytes);
    expect(status).toBe(100);
    expect(body).toMatch(/^HTTP\/1\.1 201 /);
  });
});

describe("headers that come twice", () => {
  it.each([
    ["authorization: Bearer nope\r\n", 401],
    ["authorization: Bearer at_sandbox\r\n", 401],
    ["x-company-id: company_other\r\n", 403],
    ["x-company-id: company_sandbox\r\n", 403],
  ])("%j are refused: %i", async (header, status) => {
    const { get } = await listen();
    const answer = await get("/v1/balance", header);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ statusCode: status });
  });

  it("content-type is 415", async () => {
    const { post } = await listen();
    expect((await post(`${json}content-type: text/plain\r\ncontent-length: 2\r\n`, "{}")).status).toBe(415);
  });
});

describe("a path", () => {
  it.each([
    ["/v1/charges/%zz", "%zz"],
    ["/v1/charges/%E0%A4%A", "%E0%A4%A"],
    ["/v1/charges/%00", "\u0000"],
    ["/v1/charges/%0d%0aset-cookie:x", "\r\nset-cookie:x"],
    ["/v1/charges/a%2Fb", "a/b"],
    ["/v1/charges/%3Cscript%3E", "<script>"],
    ["/v1/charges/%C3%A9", "é"],
    ["/v1/charges/__proto__", "__proto__"],
    ["/v1/charges/constructor", "constructor"],
    ["/v1/charges/..%2f..%2fetc", "../../etc"],
    ["/v1/charges/%20", " "],
    ["/v1/charges/*", "*"],
    ["/v1/charges/:id", ":id"],
    [`/v1/charges/${"a".repeat(10_000)}`, `${"a".repeat(60)}…`],
  ])("with the odd id %j is 404", async (path, shown) => {
    const { get } = await listen();
    const { status, headers, body } = await get(path);
    expect(status).toBe(404);
    expect(JSON.parse(body).message).toEqual([`No charge has the id ${JSON.stringify(shown)}`]);
    expect(headers["set-cookie"]).toBeUndefined();
  });

  it.each([
    ["/v1/balance?", 200],
    ["/v1/balance?a=%zz&b=%E0&&=&c", 200],
    ["/v1/balance#fragment", 200],
    ["/v1/%62alance", 200],
    ["http://elsewhere.test/v1/balance", 200],
    ["//v1/balance", 404],
    ["/v1/balance;a=b", 404],
    ["/v1/webhooks?limit=%zz", 400],
    ["/v1/webhooks?cursor=%E0%A4%A", 400],
    ["/v1/transactions/customers/check?msisdn=%zz", 400],
  ])("%s is answered %i", async (path, status) => {
    const { get } = await listen();
    expect((await get(path)).status).toBe(status);
  });

  it.each([
    "/v1/../_sandbox/balance",
    "/v1/%2E%2e/_sandbox/balance",
    "/v1/./balance",
    "/v1/charges/.?x=1",
    "http://localhost/v1/..",
  ])(
    "with a segment that leads elsewhere is 400, since a proxy may have read it as a plain segment: %s",
    async (path) => {
      const { get } = await listen();
      const { status, body } = await get(path);
      expect([status, JSON.parse(body).message]).toEqual([
        400,
        ["This is not an HTTP/1.1 request: its path has the segment . or .."],
      ]);
    },
  );

  it.each(["/%5fsandbox/clock", "/%5Fs%61ndbox", "//%76%31/balance", "http://localhost/%5fsandbox/clock"])(
    "that begins with an escape is 400, since a proxy may have read it unescaped: %s",
    async (path) => {
      const { get } = await listen();
      const { status, body } = await get(path);
      expect([status, JSON.parse(body).message]).toEqual([
        400,
        ["This is not an HTTP/1.1 request: its path begins with an escape"],
      ]);
    },
  );

  it("may have dots in its names and its query", async () => {
    const { get } = await listen();
    expect((await get("/v1/charges/..x")).status).toBe(404);
    expect((await get("/v1/balance?back=/../.")).status).toBe(200);
  });

  it.each(["TRACE", "PROPFIND", "PURGE"])("has no method %s", async (method) => {
    const { raw } = await listen();
    const { status, headers } = await raw(`${method} /v1/webhooks HTTP/1.1\r\n${credentials}\r\n`);
    expect({ status, allow: headers["allow"] }).toEqual({ status: 405, allow: "POST, GET" });
  });
});
