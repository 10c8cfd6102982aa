import { describe, expect, it } from "vitest";
import fc, { runs } from "../support/fast-check.js";
import { startLive } from "../support/live.js";
import { startRawReceiver } from "../support/raw-receiver.js";

describe("a receiver that is down, slow, or answers garbage", () => {
  it("that sends arbitrary bytes fails one attempt at most", async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 204 No\r\n",
        "HTTP/1.1 302 F\r\nLocation: /\r\n",
        "\r\n\r\n",
        "\r\n",
      ),
      fc.constantFrom(
        "Content-Length: 4\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Connection: close\r\n",
        "Content-Length: -1\r\n",
      ),
      fc.constantFrom(
        "4\r\nbody\r\n",
        "0\r\n\r\n",
        "body",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 101 S\r\nUpgrade: x\r\n\r\n",
      ),
      fc.string({ unit: "binary", maxLength: 20 }),
    );
    let pieces: readonly string[] = [];
    const receiver = await startRawReceiver((socket) => {
      for (const text of pieces) socket.write(text, "latin1");
      socket.end();
    });
    const live = await startLive({ profile: { webhooks: { retry: "none" } } });
    await live.subscribe("transactions/started", receiver.url);
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (answer) => {
        pieces = answer;
        await live.createTransfer();
        expect(await live.settle()).toEqual([]);
        const { status, attempts } = live.deliveries().at(-1) ?? {};
        const [attempt] = attempts ?? [];
        expect(attempts).toHaveLength(1);
        expect(status).toBe(attempt?.error === null ? "succeeded" : "exhausted");
        if (attempt?.error === null) expect(Math.floor((attempt.status ?? 0) / 100)).toBe(2);
      }),
      { numRuns: runs(150) },
    );
  });
});
