import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/kernel/system-clock.js";
import { type Live, startLive } from "../../support/live.js";

describe("what a stream takes", () => {
  it("does not hold a server that stops when the client does not read it", async () => {
    const live = await startLive();
    const listening = countListeners(live);
    const before = listening();
    const { hostname, port } = new URL(live.url);
    const socket = connect(Number(port), hostname).pause();
    onTestFinished(() => void socket.destroy());
    socket.write(`GET /_sandbox/stream HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    while (listening() === before) await systemClock.breathe();
    while (listening() > before) await live.createCharge({ metadata: { description: "x".repeat(100_000) } });
    await expect(live.close()).resolves.toBeUndefined();
  });
});

/** How many listen to the company's commits. */
function countListeners({ sandbox }: Live): () => number {
  let count = 0;
  const { commits } = sandbox;
  const listen = commits.listen.bind(commits);
  commits.listen = (listener) => {
    const stop = listen(listener);
    count++;
    return () => {
      count--;
      stop();
    };
  };
  return () => count;
}
