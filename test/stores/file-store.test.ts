import { appendFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DocumentFile } from "../../src/adapters/store/document.js";
import { openFileStore } from "../../src/adapters/store/file-store.js";
import { createJournal, journalPath } from "../../src/adapters/store/journal.js";
import { loadStore } from "../../src/adapters/store/load-store.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { createFaultyFiles } from "../support/faulty-files.js";
import fc from "../support/fast-check.js";
import { folderWith } from "../support/folder.js";
import { copyOf, type Data, letters, newStorePath, openLetters } from "../support/letter-store.js";

const sorted = (data: Data): [string, number][] => [...data].toSorted(([a], [b]) => (a < b ? -1 : 1));

describe("a durable change", () => {
  it("is there in the next process after a stop and after a kill", async () => {
    const path = await newStorePath();
    const { store, put } = await openLetters(path);
    put("a", 1);
    put("b", 2);
    store.data.delete("a");
    store.note(["drop", "a"]);
    await store.durable(true);
    const killed = await openLetters(await copyOf(path));
    expect([...killed.store.data]).toEqual([["b", 2]]);
    await store.close();
    expect([...(await openLetters(path)).store.data]).toEqual([["b", 2]]);
  });

  it("needs no waiting when nothing has changed", async () => {
    const { store, put } = await openLetters(await newStorePath());
    expect([store.durable(true), store.writable()]).toEqual([undefined, undefined]);
    put("a", 1);
    await store.durable(true);
    expect(store.durable(true)).toBeUndefined();
  });

  it("shares a flush with the changes of 32 clients", async () => {
    const fs = createFaultyFiles();
    const { store, put } = await openLetters(await newStorePath(), { fs });
    const before = fs.syncs;
    await Promise.all(
      Array.from({ length: 32 }, async (_, n) => {
        put(`k${n}`, n);
        await store.durable(true);
      }),
    );
    expect(fs.syncs - before).toBeLessThanOrEqual(2);
  });

  it("is acknowledged to writers and readers only after the flush", async () => {
    const fs = createFaultyFiles();
    const { store, put } = await openLetters(await newStorePath(), { fs });
    const release = fs.holdSync();
    put("a", 1);
    const reported: string[] = [];
    const waits = [
      Promise.resolve(store.durable(true)).then(() => reported.push("writer")),
      Promise.resolve(store.durable(false)).then(() => reported.push("reader")),
    ];
    for (let turn = 0; turn < 20; turn++) await systemClock.yieldToEventLoop();
    expect(reported).toEqual([]);
    release();
    await Promise.all(waits);
    expect(reported).toEqual(["writer", "reader"]);
  });

  it("survives any number of new documents, also while they are written", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.nat(), fc.boolean()), { minLength: 1, maxLength: 60 }),
        async (changes) => {
          const path = await newStorePath();
          const { store, put } = await openLetters(path, { journalBytes: 200 });
          for (const [key, value, waits] of changes) {
            put(`k${key}`, value);
            if (waits) await store.durable(true);
          }
          await store.durable(true);
          const expected = sorted(store.data);
          await store.close();
          const again = await openLetters(path, { journalBytes: 200 });
          expect(sorted(again.store.data)).toEqual(expected);
          await again.store.close();
        },
      ),
      { numRuns: 10 },
    );
  }, 60_000);

  it("leaves no old journal behind", async () => {
    const path = await newStorePath();
    const { store, put } = await openLetters(path, { journalBytes: 200 });
    for (let n = 0; n < 100; n++) {
      put("a", n);
      await store.durable(true);
    }
    await store.close();
    const journals = (await readdir(join(path, ".."))).filter((name) => name.includes("journal"));
    expect(journals.length).toBeLessThanOrEqual(2);
    expect((await readdir(join(path, ".."))).filter((name) => name.endsWith(".tmp") || name.endsWith(".lock"))).toEqual(
      [],
    );
  });
});

describe("a damaged store", () => {
  async function damaged(damage: (path: string) => Promise<void>): Promise<{ error: string; unchanged: boolean }> {
    const path = await newStorePath();
    const { store, put } = await openLetters(path);
    put("a", 1);
    await store.durable(true);
    put("b", 2);
    await store.durable(true);
    const copy = await copyOf(path);
    await damage(copy);
    const folder = join(copy, "..");
    const content = async () =>
      Promise.all((await readdir(folder)).map(async (name) => [name, await readFile(join(folder, name), "utf8")]));
    const before = await content();
    const error = await openLetters(copy).then(
      () => "it was opened",
      (thrown: Error) => thrown.message.replaceAll(folder, "…"),
    );
    return { error, unchanged: JSON.stringify(await content()) === JSON.stringify(before) };
  }
  const journalOf = (path: string): string => `${path}.journal-1`;
  const change = async (file: string, edit: (text: string) => string): Promise<void> =>
    writeFile(file, edit(await readFile(file, "utf8")));

  it.each<[string, (path: string) => Promise<void>, string]>([
    [
      "a changed byte in the journal",
      (path) => change(journalOf(path), (text) => text.replace('"a",1', '"a",7')),
      "…/store.json.journal-1:2:1: the store is damaged here: the line does not have its checksum",
    ],
    [
      "a changed last line",
      (path) => change(journalOf(path), (text) => text.replace('"b",2', '"b",7')),
      "…/store.json.journal-1:3:1: the store is damaged here",
    ],
    ["a file that is none", (path) => writeFile(path, "hello"), "…/store.json:1:1: the store is damaged here: "],
    ["another JSON", (path) => writeFile(path, "{}\n"), "…/store.json:1:"],
    ["an empty file", (path) => writeFile(path, ""), "…/store.json:1:1: the store is damaged: its end is missing"],
    [
      "half a checkpoint",
      (path) => change(path, (text) => text.slice(0, text.indexOf("]"))),
      "…/store.json:1:1: the store is damaged: its end is missing",
    ],
    [
      "a wrong checksum",
      (path) => change(path, (text) => text.replace(/"checksum":"./, '"checksum":"z')),
      "…/store.json:2:1: the store is damaged: what it says does not have this checksum",
    ],
    [
      "a newer version",
      (path) => change(path, (text) => text.replace('"schemaVersion":1', '"schemaVersion":2')),
      "…/store.json:1:1: the store is of version 2, and this sandbox reads up to 1: a newer business-payments-sandbox wrote it",
    ],
    ["a missing journal", (path) => rm(journalOf(path)), "its journal, …/store.json.journal-1, is missing"],
    [
      "a missing checkpoint",
      (path) => rm(path),
      "…/store.json:1:1: it is missing, and …/store.json.journal-1, which goes on from it, is there",
    ],
  ])("with %s is refused with its position and not changed", async (_, damage, message) => {
    const { error, unchanged } = await damaged(damage);
    expect(error).toContain(message);
    expect(unchanged).toBe(true);
  });

  it("reports the line of a wrong entry of the document", async () => {
    const path = await newStorePath();
    const { store, put } = await openLetters(path);
    put("a", 1);
    await store.close();
    await (await openLetters(path)).store.close();
    await writeFile(path, (await readFile(path, "utf8")).replace('["put","a",1]', '["put","a",1'));
    await expect(openLetters(path)).rejects.toThrow(/store\.json:2:\d+: the store is damaged here/);
  });

  it("of an older version is migrated, document and journal", async () => {
    const fs = createFaultyFiles();
    const path = await newStorePath();
    await new DocumentFile(fs, path).write({ schemaVersion: -1, generation: 3, entries: [["set", "a", 1]] });
    const journal = await createJournal(fs, journalPath(path, 3));
    await journal.append([JSON.stringify(["set", "b", 2])]);
    await journal.close();
    const { data, generation } = await loadStore(path, letters, fs, {
      [-1]: ([, ...rest]) => ["write", ...rest],
      0: ([, ...rest]) => ["put", ...rest],
    });
    expect([...data]).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
    expect(generation).toBe(3);
  });
});

describe("the disk", () => {
  it.each(["ENOSPC: no space left on device, write", "EROFS: read-only file system, open"])(
    "%s: writes fail, reads go on, and the store recovers",
    async (failure) => {
      const path = await newStorePath();
      const fs = createFaultyFiles();
      const { store, put, logged } = await openLetters(path, { fs });
      put("a", 1);
      await store.durable(true);
      fs.fail(failure);
      put("b", 2);
      await expect(store.durable(true)).rejects.toThrow(
        `The state could not be written to ${path}: ${failure}. Make room there`,
      );
      expect(store.durable(false)).toBeUndefined();
      await expect(store.writable()).rejects.toThrow(failure);
      fs.fail(undefined);
      await store.writable();
      put("c", 3);
      await store.durable(true);
      const { store: again } = await openLetters(await copyOf(path));
      expect([...again.data.keys()].toSorted()).toEqual(["a", "b", "c"]);
      expect(logged).toEqual([`error the state cannot be kept: ${failure}`, `info the state is kept again in ${path}`]);
    },
  );

  it.each<[string, (path: string) => Promise<void>]>([
    ["the journal", (path) => rm(`${path}.journal-1`)],
    ["the checkpoint", (path) => rm(path)],
    ["the whole folder", (path) => rm(join(path, ".."), { recursive: true })],
  ])("%s is written again after somebody removed it", async (_, take) => {
    const path = await newStorePath();
    const { store, put } = await openLetters(path);
    put("a", 1);
    await store.durable(true);
    await take(path);
    put("b", 2);
    await store.durable(true);
    put("c", 3);
    await store.durable(true);
    const { store: again } = await openLetters(await copyOf(path));
    expect([...again.data.keys()].toSorted()).toEqual(["a", "b", "c"]);
  });

  it("a folder that is replaced by a file fails until it is back", async () => {
    const path = join(await folderWith({}), "data", "store.json");
    const { store, put } = await openLetters(path);
    put("a", 1);
    await store.durable(true);
    const folder = join(path, "..");
    await rename(folder, `${folder}.away`);
    await writeFile(folder, "a file is in the way");
    put("b", 2);
    await expect(store.durable(true)).rejects.toThrow("The state could not be written");
    await rm(folder);
    await mkdir(folder);
    put("c", 3);
    await store.durable(true);
    const { store: again } = await openLetters(await copyOf(path));
    expect([...again.data.keys()].toSorted()).toEqual(["a", "b", "c"]);
  });
});

describe("the lock", () => {
  it("refuses a second process and names the holder", async () => {
    const path = await newStorePath();
    await openLetters(path);
    const lock = JSON.parse(await readFile(`${path}.lock`, "utf8"));
    expect(lock).toMatchObject({ pid: process.pid, name: "a test" });
    // This very process is the one that holds it: as another one's it is held by the number 1, which lives.
    await writeFile(`${path}.lock`, JSON.stringify({ ...lock, pid: 1, began: "" }));
    await expect(openLetters(path)).rejects.toThrow(
      "Failed to open the store: a test (process 1) uses it. Stop it, or name another store",
    );
  });

  it.each([
    ["that is dead", { pid: 2 ** 22 + 1 }],
    ["whose number another one has since", { pid: 1, began: "1" }],
    ["that died while it wrote it", ""],
  ])("of a process %s is taken over", async (_, holder) => {
    const path = await newStorePath();
    const { store } = await openLetters(path);
    const lock = JSON.parse(await readFile(`${path}.lock`, "utf8"));
    await store.close();
    await writeFile(`${path}.lock`, holder === "" ? "" : JSON.stringify({ ...lock, ...(holder as object) }));
    const again = await openLetters(path);
    expect(JSON.parse(await readFile(`${path}.lock`, "utf8")).pid).toBe(process.pid);
    await again.store.close();
    expect(await readdir(join(path, ".."))).not.toContain("store.json.lock");
  });

  it("of another machine is valid while it is touched", async () => {
    const path = await newStorePath();
    const lock = JSON.stringify({ pid: 1, host: "another", name: "sandbox start", began: "" });
    await writeFile(`${path}.lock`, lock);
    await expect(openLetters(path)).rejects.toThrow("sandbox start (process 1 on another) uses it");
    const later = { ...systemClock, now: () => systemClock.now() + 61_000 };
    const store = await openFileStore({ path, format: letters, system: later, log: { write: () => undefined } });
    await store.close();
  });

  it("is released when the store is refused", async () => {
    const path = await newStorePath();
    await appendFile(path, "nonsense");
    await expect(openLetters(path)).rejects.toThrow("damaged");
    expect(await readdir(join(path, ".."))).toEqual(["store.json"]);
  });
});
