import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { explore } from "../../src/index.js";
import { folderWith } from "../support/folder.js";
import { root } from "../support/markdown.js";
import { careful, quick } from "./payers.js";

/** After every 100 runs, prints the size of the heap, MiB, and the resources that keep the process alive. */
const manyRuns = `
  import { setTimeout as pause } from "node:timers/promises";
  import { explore } from ${JSON.stringify(join(root, "dist/index.js"))};
  async function payAll(sandbox) {
    for (const reference of ["a", "b", "c", "d", "e"]) {
      const json = { type: "transfer", amount: 5000, msisdn: "+2250700000010", reference };
      await sandbox.fetch("/v1/transactions", { json }).catch(() => undefined);
    }
  }
  const only = ["answer-lost", "500-after", "answer-cut", "outcome-late"];
  for (let round = 0; round < 10; round++) {
    for (let turn = 0; turn < 5; turn++) await explore(payAll, { only, sandbox: { clock: "frozen" } });
    await pause(200);
    gc();
    console.log(JSON.stringify([process.memoryUsage().heapUsed / 2 ** 20, process.getActiveResourcesInfo()]));
  }
`;

it("1000 runs leave no memory, port, timer or folder behind", async () => {
  const folder = await folderWith({});
  const args = ["--expose-gc", "--input-type=module", "--eval", manyRuns];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env: { TMPDIR: folder } });
  const rounds: [heapMiB: number, resources: string[]][] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(rounds).toHaveLength(10);
  expect(rounds.at(-1)?.[1].filter((name) => /TCP|Timeout|Process/.test(name))).toEqual([]);
  const heaps = rounds.map(([heapMiB]) => heapMiB);
  expect((heaps.at(-1) ?? 0) - (heaps[1] ?? 0)).toBeLessThan(3);
  expect(readdirSync(folder)).toEqual([]);
});

describe("explore", () => {
  it("ends when the check does not", async () => {
    const check = () => new Promise(() => undefined);
    await expect(explore(careful, { ...quick, timeout: "1s", check })).rejects.toMatchObject({
      message: expect.stringContaining("--check fails without any fault"),
      cause: { message: "The check did not end within 1 s." },
    });
  });

  it("finds nothing in a function that sends the same reference again, with two faults and many workers", async () => {
    const report = await explore(careful, { ...quick, depth: 2, workers: 4 });
    expect(report.runs.length).toBeGreaterThan(15);
    expect(report.runs.filter(({ verdict }) => verdict !== "safe")).toEqual([]);
  });
});
