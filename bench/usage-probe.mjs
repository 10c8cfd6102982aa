/**
 * Loaded into a measured process with --import. Answers over IPC: "usage" with CPU time (µs) and resident memory (MB); "sample" also with the heap
 * after a garbage collection (MiB) and the event loop's delays (ms) since the last "sample" or "reset". At the end of the process it writes the most
 * resident memory (MB) to the file PEAK_FILE.
 */
import { writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** The interval of the timer; the time beyond it is the delay. */
const RESOLUTION_MS = 10;
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();

process.on("message", (question) => {
  if (question === "usage") process.send?.(usage());
  if (question === "sample") process.send?.({ ...delaysMs(), ...heap(), ...usage() });
  // The garbage collections of a sample must not count as delays.
  if (question !== "usage") delays.reset();
});
process.channel?.unref();
const { PEAK_FILE } = process.env;
if (PEAK_FILE !== undefined)
  process.once("exit", () => writeFileSync(PEAK_FILE, String((process.resourceUsage().maxRSS * 1024) / 1e6)));

function usage() {
  const { user, system } = process.cpuUsage();
  return { cpuUs: user + system, rssMb: process.memoryUsage.rss() / 1e6 };
}

function heap() {
  // Collects twice: the second collection gets what the finalizers of the first one released.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return { heapMib: heapUsed / 2 ** 20, externalMib: external / 2 ** 20 };
}

function delaysMs() {
  const [p99Ms, maxMs] = [delays.percentile(99), delays.max].map((ns) => Math.max(0, ns / 1e6 - RESOLUTION_MS));
  return { p99Ms, maxMs };
}
