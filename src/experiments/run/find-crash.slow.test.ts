import { expect, it } from "vitest";
import { longestStop } from "../../../test/support/loop-stops.js";
import { findCrash } from "./find-crash.js";

const find = (output: string) => findCrash(2, null, output, output);

it.each(["panic: the shop is closed\n", "fatal error: no such order\r\n", "goroutine 1 [running]:\n", "\n"])(
  "output of nothing but %j is judged without a long stop",
  async (line) => {
    const output = line.repeat((256 * 1024) / line.length);
    let crash: string | null = "unknown";
    const stopMs = await longestStop(async () => void (crash = find(output)));
    expect(crash).toBeNull();
    expect(stopMs).toBeLessThan(1_000);
  },
);

it.each([
  "panic: closed\n\ngoroutine 1 [running]:\n",
  "begins\r\npanic: closed\r\npanic: again\r\n\r\ngoroutine 1 [running]:\r\n",
  "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\n",
])("%j is a panic in Go", (output) => {
  expect(find(output)).toBe("a panic in Go");
});
