import { readdir, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runSandbox, startSandbox, type StartedSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { transferRequest } from "../support/requests.js";
import type { LooseJson } from "../support/world.js";

const headers = { authorization: "Bearer at_sandbox", "content-type": "application/json" };

/** Gives a process the hostname of another container: then only the lock's age says whether its holder lives. */
const inContainer = (name: string): Record<string, string> => {
  const code = `import os from "node:os";
    import { syncBuiltinESMExports } from "node:module";
    os.hostname = () => "${name}";
    syncBuiltinESMExports();`;
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}` };
};

async function start(cwd: string, env: Record<string, string> = {}): Promise<StartedSandbox> {
  const sandbox = await startSandbox(["--store", "file:state.json"], { cwd, env });
  onTestFinished(() => sandbox.signal("SIGKILL"));
  return sandbox;
}

/** Sends transfers one after another until one fails. Returns the status of the failure; undefined when there was no answer. */
async function pay({ url }: StartedSandbox, answered: string[], count = Infinity): Promise<number | undefined> {
  for (let made = 0; made < count; made++) {
    const reference = `ref-${crypto.randomUUID()}`;
    const body = JSON.stringify(transferRequest({ reference }));
    const answer = await fetch(`${url}/v1/transactions`, { method: "POST", headers, body }).catch(() => undefined);
    if (answer?.status !== 201) return answer?.status;
    answered.push(reference);
  }
  return undefined;
}

async function referencesIn({ url }: StartedSandbox): Promise<string[]> {
  const state: LooseJson = await (await fetch(`${url}/_sandbox/state`)).json();
  return state.transactions.map(({ reference }: LooseJson) => reference);
}

it.each<[string, (lock: string) => Promise<void>]>([
  ["was taken for dead", (lock) => utimes(lock, 0, 0)],
  ["lost its lock file", (lock) => rm(lock)],
])("a paused holder that %s acknowledges nothing more, and nothing of either is lost", async (_, lose) => {
  const cwd = await folderWith({});
  const answered: string[] = [];
  let first = await start(cwd, inContainer("one"));
  for (let round = 0; round < 4; round++) {
    const before = answered.length;
    const load = Promise.all(Array.from({ length: 8 }, () => pay(first, answered)));
    await expect.poll(() => answered.length - before, { interval: 1, timeout: 20_000 }).toBeGreaterThan(20 + 7 * round);
    first.signal("SIGSTOP");
    await lose(join(cwd, "state.json.lock"));
    const second = await start(cwd, inContainer("other"));
    await pay(second, answered, 10);
    first.signal("SIGCONT");
    const reads = Array.from({ length: 5 }, () =>
      fetch(`${first.url}/v1/balance`, { headers }).then(
        ({ status }) => status,
        () => undefined,
      ),
    );
    for (const status of [...(await load), ...(await Promise.all(reads))])
      expect([500, 503, undefined]).toContain(status);
    expect(await first.ended).toBe(3);
    // It may be paused in the middle of a check. Which reason it gives depends on what it still has to read.
    expect(first.stderr).toMatch(/on other\) has taken it over|a later process .* has written to it|was removed/);
    expect(first.stderr).toContain("This process stops, because only one may write to it");
    expect(first.stderr).not.toContain("bug of the sandbox");
    await pay(second, answered, 10);
    expect(await referencesIn(second)).toEqual(expect.arrayContaining(answered));
    second.signal("SIGKILL");
    await second.ended;
    await rm(join(cwd, "state.json.lock"));
    first = await start(cwd, inContainer("one"));
    expect(await referencesIn(first)).toEqual(expect.arrayContaining(answered));
  }
  expect(await first.stop()).toBe(0);
  expect((await readdir(cwd)).filter((name) => /lock|tmp/.test(name))).toEqual([]);
});

it("a holder whose lock file is removed stops by itself", async () => {
  const cwd = await folderWith({});
  const sandbox = await start(cwd);
  await rm(join(cwd, "state.json.lock"));
  expect(await sandbox.ended).toBe(3);
  expect(sandbox.stderr).toContain("state.json.lock, was removed. This process stops");
});

it("exec stops its command when the store is lost", async () => {
  const cwd = await folderWith({});
  const code = 'await (await import("node:fs/promises")).rm("state.json.lock"); setInterval(() => undefined, 1_000);';
  const command = [process.execPath, "--input-type=module", "--eval", code];
  const { code: exit, stderr } = await runSandbox(["exec", "--store", "file:state.json", "--", ...command], { cwd });
  expect([exit, stderr]).toEqual([3, expect.stringContaining("state.json.lock, was removed. This process stops")]);
});
