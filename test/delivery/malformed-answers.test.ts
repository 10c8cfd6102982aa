import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { startLive } from "../support/live.js";
import { longestStop } from "../support/loop-stops.js";
import { expensiveAnswers, malformedAnswers } from "../support/malformed-answers.js";
import { startRawReceiver } from "../support/raw-receiver.js";

const STOP_MAX_MS = 100;

const OK = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";

/** Measures the second of two deliveries, so that what the first one loads and compiles does not count. */
async function deliverTo(answer: (socket: Socket) => void, timeout = "150ms") {
  let respond = (socket: Socket): void => void socket.end(OK);
  const receiver = await startRawReceiver((socket) => respond(socket));
  const live = await startLive({ profile: { webhooks: { retry: "none", timeout } } });
  await live.subscribe("charges/events", receiver.url);
  const pay = async (): Promise<void> => {
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    expect(await live.settle()).toEqual([]);
  };
  await pay();
  respond = answer;
  const stopMs = await longestStop(pay);
  const delivery = live.deliveries()[1];
  return { stopMs, delivery, error: delivery?.attempts[0]?.error };
}

describe("an invalid answer is a failed attempt with a reason, and blocks nothing", () => {
  it.each(malformedAnswers)("%s", async (_, answer) => {
    const { stopMs, delivery, error } = await deliverTo(answer);
    expect(delivery).toMatchObject({ status: "exhausted", attempts: [{ error: expect.any(String) }] });
    expect(error).toMatch(/^(?:HPE_\w+: |ECONNRESET: |timeout: |status \d+ |more than 20 interim answers came)/);
    expect(stopMs).toBeLessThan(STOP_MAX_MS);
  });
});

describe("an answer that is expensive to parse blocks nothing", () => {
  it.each(expensiveAnswers)("%s", async (_, answer) => {
    const { stopMs, delivery } = await deliverTo(answer, "5s");
    expect(delivery).toMatchObject({ attempts: [{ status: 200, error: null }] });
    expect(stopMs).toBeLessThan(STOP_MAX_MS);
  });
});

it("an answer in too many pieces is not read to its end: many receivers may send such answers at once", async () => {
  let pieces = 0;
  const { delivery } = await deliverTo((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const timer = setInterval(() => ++pieces && socket.write("1\r\nx\r\n"), 1);
    socket.on("close", () => clearInterval(timer));
  }, "5s");
  expect(delivery).toMatchObject({ status: "succeeded", attempts: [{ status: 200, error: null }] });
  expect(pieces).toBeLessThan(500);
});
