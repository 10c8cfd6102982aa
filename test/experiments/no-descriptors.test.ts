import { EventEmitter } from "node:events";
import { expect, it, vi } from "vitest";
import { readState } from "../../src/audit/application/state-reader.js";
import { runProcess } from "../../src/experiments/run/run-process.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";

/** As Node does it when no file descriptor is free: the child has no pipes, and the error comes later. */
vi.mock("node:child_process", () => ({
  spawn: () => {
    const child = new EventEmitter();
    process.nextTick(() => child.emit("error", Object.assign(new Error("spawn EMFILE"), { code: "EMFILE" })));
    return child;
  },
}));

const limits = { system: systemClock, timeoutMs: 10_000 };

it.each([
  ["of explore and vary", () => runProcess(["true"], { ...limits, env: {}, signal: new AbortController().signal })],
  ["of audit --check", () => readState("true", { ...limits, name: "--check" })],
])("a command %s that finds no free file descriptor is reported", async (_, run) => {
  await expect(run()).rejects.toMatchObject({ kind: "cannot-run", message: expect.stringContaining("spawn EMFILE") });
});
