import { expect, it } from "vitest";
import { longestStop } from "../../../test/support/loop-stops.js";
import { findCrash } from "./find-crash.js";

const find = (output: string) => findCrash(2, null, output, output);

it.each([
  { start: "", line: "panic: the shop is closed\n" },
  { start: "", line: "fatal error: no such order\r\n" },
  { start: "", line: "goroutine 1 [running]:\n" },
  { start: "", line: "\n" },
  { start: "Node.js v20.0.", line: "0" },
  { start: "Traceback (most recent call last):\n  File\nE", line: " " },
])("output of $start and then nothing but $line is judged without a long stop", async ({ start, line }) => {
  const output = `${start}${line.repeat((256 * 1024) / line.length)}. .\n.`;
  let crash: string | null = "unknown";
  const stopMs = await longestStop(async () => void (crash = find(output)));
  expect(crash).toBeNull();
  expect(stopMs).toBeLessThan(1_000);
});

it.each([
  "panic: closed\n\ngoroutine 1 [running]:\n",
  "begins\r\npanic: closed\r\npanic: again\r\n\r\ngoroutine 1 [running]:\r\n",
  "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\n",
])("%j is a panic in Go", (output) => {
  expect(find(output)).toBe("a panic in Go");
});
