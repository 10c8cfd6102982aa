/**
 * The longest that the event loop stood still during a task, in ms. On a busy machine the loop is also late because another process runs: only the
 * processor's time of this process counts.
 */
export async function longestStop(task: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let wall = performance.now();
  let cpu = process.cpuUsage();
  const tick = (): void => {
    const { user, system } = process.cpuUsage(cpu);
    longest = Math.max(longest, Math.min(performance.now() - wall, (user + system) / 1000));
    wall = performance.now();
    cpu = process.cpuUsage();
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
  return longest;
}
