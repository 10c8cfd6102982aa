import childProcess from "node:child_process";
import { EventEmitter } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import { beforeAll, expect, it } from "vitest";
import { readState } from "../../src/audit/application/state-reader.js";
import { runProcess } from "../../src/experiments/run/run-process.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";

/** As Node does it when no file descriptor is free: the child has no pipes, and the error comes later. */
function spawnWithoutDescriptors() {
  const child = new EventEmitter();
  process.nextTick(() => child.emit("error", Object.assign(new Error("spawn EMFILE"), { code: "EMFILE" })));
  return child;
}

beforeAll(() => {
  const { spawn } = childProcess;
  Object.assign(childProcess, { spawn: spawnWithoutDescriptors });
  syncBuiltinESMExports();
  return () => {
    Object.assign(childProcess, { spawn });
    syncBuiltinESMExports();
  };
});

const limits = { system: systemClock, timeoutMs: 10_000 };

it.each([
  ["of explore and vary", () => runProcess(["true"], { ...limits, env: {}, signal: new AbortController().signal })],
  ["of audit --check", () => readState("true", { ...limits, name: "--check" })],
])("a command %s that finds no free file descriptor is reported", async (_, run) => {
  await expect(run()).rejects.toMatchObject({ kind: "cannot-run", message: expect.stringContaining("spawn EMFILE") });
});
