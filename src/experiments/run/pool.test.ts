import { expect, it } from "vitest";
import { systemClock } from "../../kernel/time/system-clock.js";
import { Pool } from "./pool.js";

it("begins no further task when one was rejected", async () => {
  const { signal } = new AbortController();
  const budget = { system: systemClock, workers: 2, maxRuns: undefined, timeMs: undefined, signal };
  const begun: number[] = [];
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const running = new Pool<number>(budget, () => undefined).run([0, 1, 2, 3], async (task) => {
    begun.push(task);
    if (task === 0) throw new Error("the disk is full");
    await ended;
    return task;
  });
  await expect(running).rejects.toThrow("the disk is full");
  end();
  await systemClock.yieldToEventLoop();
  expect(begun).toEqual([0, 1]);
});
