import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { createHttpTransport } from "../../src/adapters/delivery/http-transport.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import fc, { runs } from "../support/fast-check.js";
import { longestStop } from "../support/loop-stops.js";
import { startRawReceiver } from "../support/raw-receiver.js";

const whole = fc.constantFrom(
  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
  "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2;a=b\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n",
  "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 201 Created\r\nSet-Cookie: a=1\r\nContent-Length: 0\r\n\r\n",
  "HTTP/1.0 500 Oops\r\n\r\nall the rest is the body",
);
const piece = fc.oneof(
  fc.constantFrom(
    "\r\n",
    "\n",
    "\r",
    "\0",
    ":",
    " ",
    "\t",
    ",",
    ";",
    "\r\n\r\n",
    "HTTP/1.1 ",
    "000",
    "-1",
    "ffffffffffff",
  ),
  fc.constantFrom(
    "Content-Length: 5\r\n",
    "Transfer-Encoding: gzip, chunked\r\n",
    "Connection: upgrade\r\nUpgrade: x\r\n",
  ),
  fc.constantFrom("X: y\r\n".repeat(3000), "x".repeat(70_000)),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const cut = fc.record({ at: fc.nat(120), length: fc.nat(12), piece });
const answer = fc.record({ whole, cuts: fc.array(cut, { maxLength: 4 }), ends: fc.boolean() });

function spoil(text: string, cuts: readonly { at: number; length: number; piece: string }[]): string {
  return cuts.reduce((spoilt, { at, length, piece }) => spoilt.slice(0, at) + piece + spoilt.slice(at + length), text);
}

it(
  "whatever is answered, an attempt ends with success or a reason, and the event loop continues",
  { timeout: 120_000 },
  async () => {
    let write: (socket: Socket) => void = () => undefined;
    const receiver = await startRawReceiver((socket) => write(socket));
    const transport = createHttpTransport(systemClock);
    const { signal } = new AbortController();
    const send = () =>
      transport.send({
        url: receiver.url,
        body: Buffer.from("{}"),
        headers: { "content-type": "application/json" },
        timeoutMs: 50,
        insecureTls: false,
        allow: { kind: "any" },
        signal,
      });
    await send();
    await fc.assert(
      fc.asyncProperty(answer, async ({ whole: text, cuts, ends }) => {
        const bytes = Buffer.from(spoil(text, cuts), "latin1");
        write = (socket) => void (ends ? socket.end(bytes) : socket.write(bytes));
        const stopMs = await longestStop(async () => {
          const { status, error, response } = await send();
          if (error === null) expect(status).toSatisfy((given: number) => given >= 200 && given < 300);
          else expect(error).toMatch(/^(?:HPE_\w+: |ECONNRESET: |EPIPE: |timeout: |status \d+ |redirect: )/);
          expect(response === null).toBe(status === null);
        });
        expect(stopMs).toBeLessThan(100);
      }),
      { numRuns: runs(600) },
    );
    await transport.close();
  },
);
