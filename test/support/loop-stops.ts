import { readFileSync } from "node:fs";

/**
 * The longest that the event loop stood still during a task, in ms. On a busy machine the loop is also late because others have the processor: only the
 * processor's time of this thread counts. A bound is at least five times what was measured: some machines are slow. With PRINT_STOPS set it is printed, too.
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
    // A stop in the last turn is noticed by the tick after it.
    await new Promise((resolve) => setImmediate(resolve));
    tick();
  } finally {
    clearInterval(timer);
  }
  if (process.env["PRINT_STOPS"] !== undefined) process.stdout.write(`longest stop ${longest.toFixed(1)} ms\n`);
  return longest;
}

/** Of this thread on Linux; elsewhere of the whole process. */
function processorMs(): number {
  if (process.platform === "linux") {
    const [nanoseconds] = readFileSync("/proc/thread-self/schedstat", "utf8").split(" ");
    return Number(nanoseconds) / 1e6;
  }
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
