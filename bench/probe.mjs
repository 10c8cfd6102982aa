/** Loaded into a measured process with --import: says, when it is asked over IPC, what the process takes. */
import { monitorEventLoopDelay } from "node:perf_hooks";

/** Timers fire so often; only what is beyond it is a delay. */
const RESOLUTION_MS = 10;
const MIB = 2 ** 20;

const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();

process.on("message", (what) => {
  if (what === "sample") process.send?.(sample());
  // What the sample itself took (two collections of garbage) is nobody's delay.
  delays.reset();
});
// Nobody waits for a question.
process.channel?.unref();

function sample() {
  const [p99Ms, maxMs] = [delays.percentile(99), delays.max].map((ns) => Math.max(0, ns / 1e6 - RESOLUTION_MS));
  // Twice: what finalizers let go of in the first is collected in the second.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapMib: heapUsed / MIB, externalMib: external / MIB, rssMib: rss / MIB, p99Ms, maxMs };
}
