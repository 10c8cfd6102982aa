import { expect, test } from "vitest";
import { Bug } from "../kernel/messages/problem.js";
import { createBugLog } from "./bug-log.js";

test("log lines that are not bugs are ignored", () => {
  const log = createBugLog();
  log.write("info", "listening", { url: "http://127.0.0.1:4010" });
  log.write("error", "server");
  expect(() => log.assertNone()).not.toThrow();
});

test("bugs are counted, and the first few are reported with their place and stack", () => {
  const log = createBugLog();
  for (let n = 1; n <= 7; n++)
    log.write("error", "bug", { path: `/v1/charges/${n}`, error: `Error: number ${n}\n    at x` });
  expect(() => log.assertNone()).toThrow(Bug);
  expect(() => log.assertNone()).toThrow(/hit 7 bugs[^]*\{"path":"\/v1\/charges\/1"\}\nError: number 1\n {4}at x/);
  expect(() => log.assertNone()).not.toThrow(/number 6/);
});
