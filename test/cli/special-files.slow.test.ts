import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runSandbox, runUntilListening, startSandbox } from "../support/cli.js";

const folder = mkdtempSync(join(tmpdir(), "special-files-"));
const pipe = join(folder, "pipe");
execFileSync("mkfifo", [pipe]);
const dangling = join(folder, "dangling");
symlinkSync("missing", dangling);
afterAll(() => rmSync(folder, { recursive: true }));

const others = [pipe, "/dev/zero", folder];
/** Runs `start` on a free port until it listens. */
const listenBriefly = (args: readonly string[]) => runUntilListening(["--port", "0", ...args]);

const NO_FILE = /it is (?:a pipe or a device|a folder|not a file)/;

describe("a pipe, a device or a folder where a file is expected is refused immediately", () => {
  it.each(["--config", "--fixtures", "--profile", "--rules", "--scenario"])("start %s", async (flag) => {
    for (const other of others) {
      const { code, stderr } = await listenBriefly([flag, other]);
      expect(stderr).toMatch(NO_FILE);
      expect(code).toBe(2);
    }
  });

  it("start --tls-cert, --record and --store", async () => {
    for (const other of others) {
      const tls = await listenBriefly(["--tls-cert", other, "--tls-key", other]);
      expect([tls.code, tls.stderr]).toEqual([2, expect.stringMatching(NO_FILE)]);
      const record = await listenBriefly(["--record", other]);
      expect([record.code, record.stderr]).toEqual([
        3,
        expect.stringMatching(/Failed to write the recording to .*: it is a/),
      ]);
      const store = await listenBriefly(["--store", `file:${other}`]);
      expect([store.code, store.stderr]).toEqual([3, expect.stringMatching(NO_FILE)]);
    }
  });

  it.each(["lock", "closed", "journal-1"])("start --store beside its %s", async (name) => {
    const store = join(mkdtempSync(join(folder, "store-")), "state.json");
    const first = await startSandbox(["--store", `file:${store}`]);
    await first.stop();
    rmSync(`${store}.${name}`, { force: true });
    execFileSync("mkfifo", [`${store}.${name}`]);
    const { code, stderr } = await listenBriefly(["--store", `file:${store}`]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${store}.${name} is a pipe or a device. Remove it`)]);
  });

  it.each([
    ["validate", (path: string) => ["validate", path]],
    ["sign", (path: string) => ["sign", path]],
  ])("%s", async (_, args) => {
    for (const other of others) {
      const { code, stderr } = await runSandbox(args(other));
      expect([code, stderr]).toEqual([2, expect.stringMatching(NO_FILE)]);
    }
  });

  it("replay", async () => {
    const { code, stderr } = await runSandbox(["replay", pipe]);
    expect([code, stderr]).toEqual([
      2,
      `Failed to replay ${pipe}: it is a pipe or a device. Name a file or a folder.\n`,
    ]);
    const out = await runSandbox(["replay", "../../scenarios", "--out", pipe]);
    expect([out.code, out.stderr]).toEqual([
      3,
      expect.stringMatching(/Failed to write the report to .*: it is a pipe/),
    ]);
  });
});

/** Looks like a plain file of no bytes, but reading it waits for the system's next message. */
const MESSAGES = "/proc/kmsg";

describe.skipIf(!existsSync(MESSAGES))("a file of the system that never ends is refused immediately", () => {
  it.each([
    ["start --config", () => listenBriefly(["--config", MESSAGES])],
    ["start --fixtures", () => listenBriefly(["--fixtures", MESSAGES])],
    ["start --scenario", () => listenBriefly(["--scenario", MESSAGES])],
    ["start --tls-cert", () => listenBriefly(["--tls-cert", MESSAGES, "--tls-key", MESSAGES])],
    ["validate", () => runSandbox(["validate", MESSAGES])],
    ["sign", () => runSandbox(["sign", MESSAGES])],
    ["replay", () => runSandbox(["replay", MESSAGES])],
  ])("%s", async (_, run) => {
    const { code, stderr } = await run();
    expect([code, stderr]).toEqual([2, expect.stringContaining(`Failed to read ${MESSAGES}: `)]);
  });

  it("start --store", async () => {
    const store = join(mkdtempSync(join(folder, "store-")), "state.json");
    const first = await startSandbox(["--store", `file:${store}`]);
    await first.stop();
    rmSync(store);
    symlinkSync(MESSAGES, store);
    expect((await listenBriefly(["--store", `file:${store}`])).code).toBeGreaterThan(0);
  });
});

describe("standard input that is too large, or never ends, is not read to its end", () => {
  it.each([
    ["sign", ["sign", "-"], 64],
    ["companies import", ["companies", "import", "-"], 256],
  ])("%s", async (_, args, limit) => {
    const { code, stderr } = await runSandbox(args, { stdin: new Uint8Array(limit * 2 ** 20 + 1) });
    expect([code, stderr]).toEqual([2, `Failed to read stdin: it is larger than ${limit} MiB. Split it.\n`]);
  });
});

describe("a folder that cannot be created is refused immediately", () => {
  it.each([
    [
      "exec --report",
      ["exec", "--report", "/proc/nope", "--", "true"],
      "Failed to write the report to /proc/nope/sandbox.json: ENOENT",
    ],
    [
      "exec --report",
      ["exec", "--report", pipe, "--", "true"],
      `Failed to write the report to ${pipe}/sandbox.json: EEXIST`,
    ],
    [
      "start --store",
      ["start", "--port", "0", "--store", "file:/proc/nope/store.json"],
      "Failed to open the store /proc/nope/store.json",
    ],
    ["init", ["init", "/proc/nope"], "Failed to write /proc/nope/sandbox.config.yaml: ENOENT"],
    ["init", ["init", dangling], `Failed to write ${dangling}/sandbox.config.yaml: EEXIST`],
  ])("%s", async (_, args, message) => {
    const { code, stderr } = await runSandbox(args);
    expect(stderr).toContain(message);
    expect(code).toBe(3);
  });
});

it("an empty path is named", async () => {
  const start = await listenBriefly(["--scenario", ""]);
  expect([start.code, start.stderr]).toEqual([1, 'sandbox: --scenario must be a file, not "".\n']);
  const fixtures = await listenBriefly(["--fixtures", ""]);
  expect([fixtures.code, fixtures.stderr]).toEqual([1, 'sandbox: --fixtures must be a file, not "".\n']);
  const validate = await runSandbox(["validate", ""]);
  expect([validate.code, validate.stderr]).toEqual([2, 'Failed to read "": there is no such file. Check its path.\n']);
});
