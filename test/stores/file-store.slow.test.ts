import { readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { folderWith } from "../support/folder.js";
import { openFileStore } from "../../src/adapters/store/file-store.js";
import type { FileSystem } from "../../src/adapters/store/file-system.js";
import type { Store, StoreFormat } from "../../src/adapters/store/store.js";

type Data = Map<string, number>;

const letters: StoreFormat<Data> = {
  createEmpty: () => new Map(),
  apply(data, [kind, key, value]) {
    if (kind === "put") data.set(String(key), Number(value));
    else if (kind === "drop") data.delete(String(key));
    else throw new Error(`there is no entry of the kind "${kind}"`);
  },
  dump: (data) => [...data].map(([key, value]) => ["put", key, value]),
};

interface Opened {
  readonly store: Store<Data>;
  readonly logged: string[];
  readonly put: (key: string, value: number) => void;
}

async function open(path: string, options: { fs?: FileSystem; journalBytes?: number } = {}): Promise<Opened> {
  const logged: string[] = [];
  const log = {
    write: (level: string, _: string, fields?: { message?: unknown }) =>
      void logged.push(`${level} ${String(fields?.message)}`),
  };
  const store = await openFileStore({ path, format: letters, system: systemClock, log, name: "a test", ...options });
  onTestFinished(() => store.close().catch(() => undefined));
  const put = (key: string, value: number): void => {
    store.data.set(key, value);
    store.note(["put", key, value]);
  };
  return { store, logged, put };
}

/** The files as a kill leaves them, without a lock. */
async function copyOf(path: string): Promise<string> {
  const folder = await folderWith({});
  const from = join(path, "..");
  for (const name of await readdir(from)) {
    if (!name.endsWith(".lock")) await writeFile(join(folder, name), await readFile(join(from, name)));
  }
  return join(folder, path.split("/").at(-1) ?? "");
}

const inFolder = async (): Promise<string> => join(await folderWith({}), "store.json");

describe("a journal that was cut at any byte", () => {
  it("loads with every change that was acknowledged before", async () => {
    const path = await inFolder();
    const { store, put } = await open(path);
    const sizes: number[] = [];
    const journal = join(path, "..", "store.json.journal-1");
    for (let n = 1; n <= 5; n++) {
      put(`k${n}`, n);
      await store.durable(true);
      sizes.push((await readFile(journal)).length);
    }
    const whole = (await readFile(journal)).length;
    for (let bytes = 0; bytes <= whole; bytes++) {
      const copy = await copyOf(path);
      await truncate(join(copy, "..", "store.json.journal-1"), bytes);
      const { store: again } = await open(copy);
      const kept = sizes.filter((size) => size <= bytes).length;
      // A group that lacks nothing but its line end may be there: it is whole.
      expect([kept, kept + 1]).toContain(again.data.size);
      expect([...again.data.values()]).toEqual(Array.from({ length: again.data.size }, (_, n) => n + 1));
      await again.close();
    }
  });
});
