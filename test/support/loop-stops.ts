import { readFileSync } from "node:fs";

/**
 * The longest time for which a task stopped the event loop, ms. Only the processor time of this thread counts, since on a busy machine the loop is also late
 * because of other programs. Tests use limits of at least five times the measured value, as some machines are slow. PRINT_STOPS prints the value.
 */
export async function longestStop(task: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let wall = performance.now();
  let cpu = processorMs();
  const tick = (): void => {
    longest = Math.max(longest, Math.min(performance.now() - wall, processorMs() - cpu));
    wall = performance.now();
    cpu = processorMs();
  };
  const timer = setInterval(tick, 1);
  try {
    await task();
    // A stop in the last turn is measured by the tick after it.
    await new Promise((resolve) => setImmediate(resolve));
    tick();
  } finally {
    clearInterval(timer);
  }
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
