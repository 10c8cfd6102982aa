import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openFileStore } from "../../src/adapters/store/file-store.js";
import { loadStore } from "../../src/adapters/store/load-store.js";
import type { StoreFormat } from "../../src/adapters/store/store.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { createCrashingFiles, type CrashingFiles, type Found } from "../support/crashing-files.js";
import fc from "../support/fast-check.js";
import { folderWith } from "../support/folder.js";
import { placeOf } from "../support/letter-store.js";

type Data = Map<string, number>;

const format: StoreFormat<Data> = {
  createEmpty: () => new Map(),
  apply: (data, [, key, value]) => void data.set(String(key), Number(value)),
  dump: (data) => [...data].map(([key, value]) => ["put", key, value]),
};

/** One change of several entries, which must be stored together or not at all. */
interface Step {
  readonly entries: number;
  /** Whether the next change waits for its answer; otherwise they share a flush. */
  readonly waits: boolean;
}

interface Session {
  /** The stored state at the start and after each change, oldest first. */
  readonly states: readonly string[];
  /** The last acknowledged change. */
  readonly acknowledged: number;
}

const render = (data: Data): string => JSON.stringify([...data].toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Opens the store in the folder, makes the changes and closes it, whether or not the disk fails. */
async function live(path: string, fs: CrashingFiles, steps: readonly Step[]): Promise<Session | undefined> {
  const options = { path, format, system: systemClock, log: { write: () => undefined }, fs, journalBytes: 100 };
  const store = await openFileStore(options).catch(() => undefined);
  if (store === undefined) return undefined;
  const states = [render(store.data)];
  let acknowledged = 0;
  const waits: Promise<void>[] = [];
  for (const { entries, waits: isAwaited } of steps) {
    const change = states.length;
    for (let n = 0; n < entries; n++) {
      store.data.set(`k${n}`, change);
      store.note(["put", `k${n}`, change]);
    }
    states.push(render(store.data));
    const kept = Promise.resolve(store.durable(true)).then(
      () => void (acknowledged = Math.max(acknowledged, change)),
      () => undefined,
    );
    waits.push(kept);
    if (isAwaited) await kept;
  }
  await Promise.all(waits);
  await store.close().catch(() => undefined);
  return { states, acknowledged };
}

/** Opens a folder as a crash left it, as the next process does. */
async function inFolder<T>(folder: string, found: Found, run: (path: string) => Promise<T>): Promise<T> {
  await mkdir(folder);
  for (const [name, content] of found) await writeFile(join(folder, name), content);
  const result = await run(join(folder, "store.json"));
  await rm(folder, { recursive: true });
  return result;
}

const load = async (path: string): Promise<string> => render((await loadStore(placeOf(path), format)).data);

/** Every acknowledged change is there, and no change is incomplete. */
async function expectWhole(
  folder: string,
  fs: CrashingFiles,
  { states, acknowledged }: Session,
  when: string,
): Promise<void> {
  for (const found of fs.crashes()) {
    const left = (): string => [...found].map(([name, content]) => `${name}: ${String(content)}`).join("\n");
    const loaded = await inFolder(folder, found, load).catch((error: unknown) => String(error));
    if (!states.slice(acknowledged).includes(loaded))
      expect.fail(`${when}: ${loaded}, acknowledged ${states[acknowledged]}. Left:\n${left()}`);
  }
}

const nothing: Session = { states: ["[]"], acknowledged: 0 };
const scriptOf = (length: number): readonly Step[] =>
  Array.from({ length }, (_, n) => ({ entries: 1 + (n % 3), waits: n % 4 !== 0 }));

/** The number of operations of the script when none fails. */
async function countOperations(root: string, script: readonly Step[]): Promise<number> {
  const fs = createCrashingFiles(() => false);
  const session = await inFolder(join(root, "live"), new Map(), (path) => live(path, fs, script));
  expect(session?.acknowledged).toBe(script.length);
  return fs.operations;
}

it("a crash at any operation loses no acknowledged change and leaves none incomplete", async () => {
  const root = await folderWith({});
  const script = scriptOf(24);
  const operations = await countOperations(root, script);
  expect(operations).toBeGreaterThan(100);
  for (let crash = 1; crash <= operations; crash++) {
    const fs = createCrashingFiles((operation) => operation >= crash);
    const session = await inFolder(join(root, "live"), new Map(), (path) => live(path, fs, script));
    await expectWhole(join(root, "left"), fs, session ?? nothing, `a crash at operation ${crash}`);
  }
});

it("a crash soon after any failed operation loses no acknowledged change", async () => {
  const root = await folderWith({});
  const script = scriptOf(12);
  const operations = await countOperations(root, script);
  for (let failed = 1; failed <= operations; failed++) {
    for (const later of [2, 3, 5, 8, 12]) {
      const fs = createCrashingFiles((operation) => operation === failed || operation >= failed + later);
      const session = await inFolder(join(root, "live"), new Map(), (path) => live(path, fs, script));
      const when = `a crash ${later} operations after one that failed, ${failed}`;
      await expectWhole(join(root, "left"), fs, session ?? nothing, when);
    }
  }
});

it("several crashes and disk failures in a row lose no acknowledged change", async () => {
  const root = await folderWith({});
  const steps = fc.array(fc.record({ entries: fc.integer({ min: 1, max: 3 }), waits: fc.boolean() }), {
    minLength: 1,
    maxLength: 15,
  });
  const life = fc.record({
    steps,
    /** The operations that fail before the last one. */
    fails: fc.array(fc.record({ from: fc.integer({ min: 1, max: 120 }), for: fc.integer({ min: 1, max: 12 }) }), {
      maxLength: 3,
    }),
    crash: fc.integer({ min: 1, max: 150 }),
    /** Which of the possible results the crash leaves. */
    leaves: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 4 }), async (lives) => {
      let found: Found = new Map();
      let before = nothing;
      for (const [n, { steps: changes, fails, crash, leaves }] of lives.entries()) {
        const isBroken = (operation: number): boolean =>
          operation >= crash || fails.some(({ from, for: count }) => operation >= from && operation < from + count);
        const fs = createCrashingFiles(isBroken, found);
        const session = await inFolder(join(root, "live"), found, (path) => live(path, fs, changes));
        const now = session ?? before;
        await expectWhole(join(root, "left"), fs, now, `life ${n + 1}`);
        const crashes = fs.crashes();
        found = crashes[leaves % crashes.length] ?? found;
        const loaded = await inFolder(join(root, "next"), found, load);
        before = { states: [loaded], acknowledged: 0 };
      }
    }),
    { numRuns: 25 },
  );
});
