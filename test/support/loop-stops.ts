import { readFileSync } from "node:fs";
import { constants, type NodeGCPerformanceDetail, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";

/**
 * The longest time for which a task stopped the event loop, ms. Only the processor time of this thread counts, since on a busy machine the loop is also late
 * because of other programs. Major garbage collections do not count: their length depends on the memory of all test files of this worker. Tests use limits of
 * at least five times the measured value, as some machines are slow. PRINT_STOPS prints the value.
 */
export async function longestStop(task: () => Promise<unknown>): Promise<number> {
  const stops: { from: number; to: number; cpu: number }[] = [];
  let wall = performance.now();
  let cpu = processorMs();
  const tick = (): void => {
    stops.push({ from: wall, to: performance.now(), cpu: processorMs() - cpu });
    wall = performance.now();
    cpu = processorMs();
  };
  const collections: { from: number; to: number }[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { detail: NodeGCPerformanceDetail })[])
      if (entry.detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
        collections.push({ from: entry.startTime, to: entry.startTime + entry.duration });
  });
  observer.observe({ entryTypes: ["gc"] });
  const timer = setInterval(tick, 1);
  try {
    await task();
    // A stop in the last turn is measured by the tick after it.
    await new Promise((resolve) => setImmediate(resolve));
    tick();
    // The entries of collections come a turn later.
    await new Promise((resolve) => setTimeout(resolve, 1));
  } finally {
    clearInterval(timer);
    observer.disconnect();
  }
  const longest = stops.reduce((most, { from, to, cpu: spent }) => {
    const collecting = collections.map((each) => Math.max(0, Math.min(to, each.to) - Math.max(from, each.from)));
    return Math.max(most, Math.min(to - from, spent) - collecting.reduce((sum, ms) => sum + ms, 0));
  }, 0);
  if (process.env["PRINT_STOPS"] !== undefined) process.stdout.write(`longest stop ${longest.toFixed(1)} ms\n`);
  return longest;
}

/** The processor time of this thread on Linux, elsewhere of the whole process, ms. */
function processorMs(): number {
  if (process.platform === "linux") {
    const [nanoseconds] = readFileSync("/proc/thread-self/schedstat", "utf8").split(" ");
    return Number(nanoseconds) / 1e6;
  }
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
