import { build } from "esbuild";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { folderWith } from "../support/folder.js";

const CONTENDERS = 10;
const ROUNDS = 30;

/** Processes that take and free locks on command. */
async function startContenders(): Promise<readonly ChildProcess[]> {
  const outfile = join(await folderWith({}), "contender.mjs");
  const entry = fileURLToPath(new URL("../support/lock-contender.ts", import.meta.url));
  await build({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm", logLevel: "error" });
  const contenders = Array.from({ length: CONTENDERS }, () => fork(outfile));
  onTestFinished(() => contenders.forEach((contender) => contender.kill()));
  await Promise.all(contenders.map((contender) => once(contender, "message")));
  return contenders;
}

/** Sends a path to take, or an empty text to free the lock, and returns the answers. */
async function send(contenders: readonly ChildProcess[], path: string): Promise<unknown[]> {
  const answers = contenders.map((contender) => once(contender, "message"));
  for (const contender of contenders) contender.send(path);
  return (await Promise.all(answers)).map(([answer]) => answer);
}

it(
  "exactly one of ten processes that start together gets the lock, also after a dead holder",
  { timeout: 60_000 },
  async () => {
    const folder = await folderWith({});
    const contenders = await startContenders();
    const dead = JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), name: "dead", began: "1" });
    for (let round = 0; round < ROUNDS; round++) {
      const path = join(folder, `store.lock-${round}`);
      const [first, second] = [round % 3 > 0, round % 3 === 2];
      if (first) await writeFile(path, dead);
      // As if it was killed while it took over from another process.
      if (second) await writeFile(`${path}.turn`, dead);
      const answers = await send(contenders, path);
      expect(answers.filter((answer) => answer === "taken")).toHaveLength(1);
      const others = answers.filter((answer) => answer !== "taken");
      for (const answer of others)
        expect(answer).toMatch(/^Failed to open the store: contender \(process \d+\) uses it\./);
      await send(contenders, "");
      expect(await readdir(folder)).toEqual([]);
    }
  },
);

it("a process does not free a lock that another one took over", async () => {
  const path = join(await folderWith({}), "store.lock");
  const contenders = (await startContenders()).slice(0, 1);
  await send(contenders, path);
  await writeFile(path, JSON.stringify({ pid: 1, host: "another", name: "sandbox start", began: "" }));
  await send(contenders, "");
  expect(await readdir(join(path, ".."))).toEqual(["store.lock"]);
});
