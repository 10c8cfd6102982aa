import { connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningServer, serve } from "../../src/http/server/listen.js";
import { expectPromised, type FuzzWorld, openFuzzWorld, runs } from "../support/fuzz.js";
import { hostileText, splice } from "../support/hostile.js";
import fc from "../support/fast-check.js";
import { chargeRequest } from "../support/requests.js";

let world: FuzzWorld;
let server: RunningServer;
beforeAll(async () => {
  world = openFuzzWorld();
  const limits = { headersMs: 40, requestMs: 80, checkMs: 10, keepAliveMs: 10 };
  server = await serve(world.app, { port: 0, host: "127.0.0.1", limits });
});
afterAll(async () => {
  server.cutOff();
  await server.close();
  await world.close();
  expect(world.bugs).toEqual([]);
});

const body = JSON.stringify(chargeRequest());
const credentials = "host: localhost\r\nauthorization: Bearer at_sandbox\r\nx-company-id: company_sandbox\r\n";
const whole = fc.constantFrom<string>(
  `GET /v1/balance HTTP/1.1\r\n${credentials}\r\n`,
  `POST /v1/charges HTTP/1.1\r\n${credentials}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  `POST /v1/charges HTTP/1.1\r\n${credentials}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  `PUT /_sandbox/balance HTTP/1.1\r\n${credentials}content-type: application/json\r\ncontent-length: 13\r\n\r\n{"balance":7}`,
  `GET http://localhost/openapi.json HTTP/1.0\r\n${credentials}\r\n`,
);
const piece = fc.oneof(
  hostileText,
  fc.constantFrom(
    "\r\n",
    "\n",
    "\r",
    ":",
    " ",
    "\t",
    "\r\n\r\n",
    "0\r\n\r\n",
    "content-length: 5\r\n",
    "transfer-encoding: chunked\r\n",
  ),
  fc.constantFrom(
    "host: evil.test\r\n",
    "expect: 100-continue\r\n",
    "connection: upgrade\r\nupgrade: h2c\r\n",
    "HTTP/9.9",
    "CONNECT x:1 ",
  ),
);
const edited: fc.Arbitrary<string> = fc
  .tuple(whole, fc.array(fc.tuple(fc.nat(), fc.nat(12), piece), { maxLength: 4 }))
  .map(([request, edits]) => edits.reduce((text, [at, length, put]) => splice(text, at, length, put), request));
const request = fc.oneof(
  { weight: 4, arbitrary: edited },
  { weight: 1, arbitrary: fc.array(piece, { minLength: 1, maxLength: 10 }).map((pieces) => `x${pieces.join("")}`) },
);

/** How many connections run at a time, so that the waits for slow ones overlap. */
const AT_ONCE = 25;

it("any bytes on a connection are answered or cut off in time", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (requests) => {
      const answers = await Promise.all(requests.map((sent) => sendAll(sent)));
      answers.forEach((text, index) => {
        for (const answer of answersIn(text)) expectPromised(answer, requests[index]);
      });
    }),
    runs(1 / AT_ONCE),
  );
  expect((await world.api("GET", "/v1/balance")).status).toBe(200);
});

/** Everything that the server sends until it closes the connection. */
function sendAll(text: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let answered = "";
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => (answered += chunk));
    // It does not matter why the connection broke, only that it ended.
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(answered));
    // Otherwise this would wait for a kept-alive connection.
    socket.end(text, "latin1");
  });
}

/** The answers with a whole JSON body; a refused HEAD has none. */
function answersIn(text: string): { readonly status: number; readonly text: string }[] {
  const found: { status: number; text: string }[] = [];
  for (let rest = text; rest !== "";) {
    const end = rest.indexOf("\r\n\r\n");
    const head = rest.slice(0, end);
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? [];
    if (status === undefined || end === -1) {
      expect(rest.slice(0, 200)).toBe("an answer of HTTP/1.1");
      break;
    }
    const start = end + 4;
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    const body = Buffer.from(rest.slice(start, start + length), "latin1").toString("utf8");
    if (Number(status) >= 200) found.push({ status: Number(status), text: body });
    rest = rest.slice(start + length);
  }
  return found;
}
