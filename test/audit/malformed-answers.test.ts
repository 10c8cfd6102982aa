import { describe, expect, it } from "vitest";
import { sendOnWire } from "../../src/audit/wire/send-on-wire.js";
import { createDeferred } from "../../src/kernel/events.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { askTwice, expensiveAnswers, malformedAnswers } from "../support/malformed-answers.js";
import { startRawReceiver } from "../support/raw-receiver.js";

async function audit(url: string) {
  const options = { url: new URL(url), timeoutMs: 150, system: systemClock, secret: "" };
  const { answer, error } = await sendOnWire(options, { headers: [], body: Buffer.from("{}"), sent: "an event" });
  return error ?? `status ${answer?.status}`;
}

describe("a request of an audit, which may run in a sandbox, ends with a reason and holds up nothing", () => {
  it.each(malformedAnswers)("after %s", async (_, answer) => {
    const { outcome, stopMs } = await askTwice(audit, answer);
    expect(outcome).not.toMatch(/^(?:status 2|status undefined|$)/);
    expect(stopMs).toBeLessThan(500);
  });

  it.each(expensiveAnswers)("after %s", async (_, answer) => {
    expect((await askTwice(audit, answer)).stopMs).toBeLessThan(500);
  });
});

it("cuts a receiver off that switches protocols and stays connected", async () => {
  const cut = createDeferred();
  const receiver = await startRawReceiver((socket) => {
    socket.on("close", () => cut.resolve());
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n");
  });
  expect(await audit(receiver.url)).toBe("status 101");
  await cut.promise;
});
