import { appendFile, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DocumentFile } from "../../src/adapters/store/document.js";
import { openFileStore } from "../../src/adapters/store/file-store.js";
import { createJournal, journalPath, type Opening } from "../../src/adapters/store/journal.js";
import { endMarkPath } from "../../src/adapters/store/end-mark.js";
import { checksum, renderChecksum } from "../../src/adapters/store/lines.js";
import { loadStore } from "../../src/adapters/store/load-store.js";
import { StoreUnavailable } from "../../src/adapters/store/store.js";
import { UsageError } from "../../src/kernel/messages/problem.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { createFaultyFiles } from "../support/faulty-files.js";
import fc from "../support/fast-check.js";
import { folderWith } from "../support/folder.js";
import { copyOf, type Data, letters, newStorePath, openLetters, placeOf } from "../support/letter-store.js";

const sorted = (data: Data): [string, number][] => [...data].toSorted(([a], [b]) => (a < b ? -1 : 1));

const withChecksum = (text: string): string => `${renderChecksum(checksum(text))} ${text}\n`;

/** The files in a store's folder by their names; none when it is gone. */
async function filesIn(path: string): Promise<Map<string, string>> {
  const folder = join(path, "..");
  const names = await readdir(folder).catch(() => []);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const)),
  );
}

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
      (path) => change(path, (text) => text.replace('"schemaVersion":2', '"schemaVersion":3')),
      "…/store.json:1:1: the store is of version 3, and this sandbox reads up to 2: a newer business-payments-sandbox wrote it",
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
    const place = placeOf(await newStorePath());
    const head = { schemaVersion: -1, epoch: 0, generation: 3 };
    await new DocumentFile(place).write({ ...head, entries: [["set", "a", 1]] });
    await writeFile(journalPath(place.path, 3), withChecksum('[["set","b",2]]'));
    const { data, generation } = await loadStore(place, letters, {
      [-1]: ([, ...rest]) => ["write", ...rest],
      0: ([, ...rest]) => ["put", ...rest],
    });
    expect([...data]).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
    expect(generation).toBe(3);
  });

  it("of version 0.1 is read, and written in the present version", async () => {
    const path = await newStorePath();
    const lines = '{"schemaVersion":1,"generation":3,"entries":[\n["put","a",1]\n';
    await writeFile(path, `${lines}],"checksum":"${renderChecksum(checksum(lines))}"}\n`);
    await writeFile(journalPath(path, 3), withChecksum("[]") + withChecksum('[["put","b",2],["put","c",3]]'));
    await writeFile(journalPath(path, 4), withChecksum('[["drop","c"]]'));
    const { store } = await openLetters(path);
    expect([...store.data.keys()]).toEqual(["a", "b"]);
    await store.close();
    expect(await readFile(path, "utf8")).toContain('"schemaVersion":2,"epoch":1,"generation":5');
  });
});

describe("a journal that was changed", () => {
  /** A journal of five lines. `close`: whether the store was closed or its process killed. */
  async function edited(close: boolean, edit: (lines: string[]) => string[]): Promise<string> {
    const path = await newStorePath();
    const { store, put } = await openLetters(path);
    for (const key of ["a", "b", "c", "d"]) {
      put(key, 1);
      await store.durable(true);
    }
    if (close) await store.close();
    const copy = await copyOf(path);
    const lines = (await readFile(journalPath(copy, 1), "utf8")).split("\n").slice(0, -1);
    await writeFile(
      journalPath(copy, 1),
      edit(lines)
        .map((line) => `${line}\n`)
        .join(""),
    );
    return openLetters(copy).then(
      ({ store: { data } }) => [...data.keys()].join(""),
      (thrown: Error) => thrown.message.replaceAll(join(copy, ".."), "…"),
    );
  }

  it.each<[string, boolean, (lines: string[]) => string[], string]>([
    ["nothing, after a kill", false, (lines) => lines, "abcd"],
    ["nothing, after a stop", true, (lines) => lines, "abcd"],
    ["its end cut off, after a kill", false, (lines) => lines.slice(0, -1), "abc"],
    [
      "a missing line",
      false,
      (lines) => lines.toSpliced(2, 1),
      "journal-1:3:1: the store is damaged here: line 3 is missing, and line 4 follows",
    ],
    [
      "a line twice",
      false,
      (lines) => lines.toSpliced(2, 0, lines[2] ?? ""),
      "journal-1:4:1: the store is damaged here: line 4 is missing, and line 3 follows",
    ],
    [
      "its first line missing",
      false,
      (lines) => lines.slice(1),
      "journal-1:1:1: the store is damaged here: line 1 is missing, and line 2 follows",
    ],
    [
      "its end cut off, after a stop",
      true,
      (lines) => lines.slice(0, -1),
      "journal-1:5:1: the journal does not end as it was written: it has 4 lines, and …/store.json.closed says that it had 5",
    ],
    [
      "everything gone, after a stop",
      true,
      () => [],
      "journal-1:1:1: the journal does not end as it was written: it has 0 lines",
    ],
    [
      "a line of an earlier holder",
      false,
      (lines) => [...lines, withChecksum('0 6 [["put","e",1]]').trim()],
      "journal-1:6:1: epoch 0 wrote this line, but epoch 1 had the store before",
    ],
    [
      "a line of version 0.1",
      false,
      (lines) => [...lines, withChecksum('[["put","e",1]]').trim()],
      "journal-1:6:1: epoch 0 wrote this line",
    ],
  ])("by %s", async (_, close, edit, result) => {
    expect(await edited(close, edit)).toContain(result);
  });

  it.each<[string, Opening, string[], string]>([
    ["goes on where the one before ends", { after: 2 }, ['["put","b",2]'], "ab"],
    ["begins before the one before ended, without changes", { after: 1 }, [], "a"],
    [
      "begins before the one before ended",
      { after: 1 },
      ['["put","b",2]'],
      "these changes do not follow from …/store.json",
    ],
    [
      "goes on after lines that are missing",
      { after: 3 },
      [],
      "journal-1:3:1: the journal does not end as it was written: it has 2 lines, and …/store.json.journal-2 goes on after line 3",
    ],
    [
      "belongs to a document that is not there",
      { after: null },
      ['["put","b",2]'],
      "these changes do not follow from …/store.json",
    ],
    ["belongs to a document that was not written", { after: null }, [], "a"],
  ])("by one after it, which %s", async (_, opening, entries, result) => {
    const path = await newStorePath();
    const { store, put } = await openLetters(path);
    put("a", 1);
    await store.durable(true);
    const copy = await copyOf(path);
    const journal = await createJournal(placeOf(copy), journalPath(copy, 2), opening);
    if (entries.length > 0) await journal.append(entries);
    await journal.close();
    const loaded = await loadStore(placeOf(copy), letters).then(
      ({ data }) => [...data.keys()].join(""),
      (thrown: Error) => thrown.message.replaceAll(join(copy, ".."), "…"),
    );
    expect(loaded).toContain(result);
  });

  it("by a later holder's end, beside a document of an earlier one", async () => {
    const path = await newStorePath();
    await (await openLetters(path)).store.close();
    const early = await copyOf(path);
    await (await openLetters(path)).store.close();
    await writeFile(endMarkPath(early), await readFile(endMarkPath(path)));
    await expect(openLetters(early)).rejects.toThrow("store.json:1:1: epoch 1 wrote it, and ");
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
      await store.durable(false);
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
    await rename(`${folder}.away`, folder);
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

  it.each<[string, (path: string) => Promise<void>, string]>([
    ["was removed", (path) => rm(`${path}.lock`), "its lock, …/store.json.lock, was removed"],
    ["was removed with its folder", (path) => rm(join(path, ".."), { recursive: true }), "was removed"],
    [
      "names another process",
      (path) => writeFile(`${path}.lock`, '{"pid":1,"host":"another","name":"sandbox start","epoch":2}'),
      "sandbox start (process 1 on another) has taken it over",
    ],
  ])("that %s is lost: nothing is acknowledged or written any more", async (_, lose, why) => {
    const path = await newStorePath();
    const { store, put, logged } = await openLetters(path);
    put("a", 1);
    await store.durable(true);
    await lose(path);
    put("b", 2);
    const left = await filesIn(path);
    await expect(store.durable(true)).rejects.toThrow("This process stops, because only one may write to it");
    await expect(store.durable(false)).rejects.toThrow(StoreUnavailable);
    await expect(store.writable()).rejects.toThrow(StoreUnavailable);
    expect(store.lost.reason).toBeInstanceOf(UsageError);
    expect(String(store.lost.reason.message).replaceAll(join(path, ".."), "…")).toContain(why);
    await expect(store.close()).rejects.toBe(store.lost.reason);
    expect(logged).toHaveLength(1);
    // Only the line of the change that was not acknowledged.
    const now = await filesIn(path);
    expect([...now.keys()]).toEqual([...left.keys()]);
    expect(now.get("store.json")).toEqual(left.get("store.json"));
  });

  it("that is lost is noticed without any request", async () => {
    const path = await newStorePath();
    const { store } = await openLetters(path);
    await rm(`${path}.lock`);
    await once(store.lost, "abort");
  });

  it("is released when the store is refused", async () => {
    const path = await newStorePath();
    await appendFile(path, "nonsense");
    await expect(openLetters(path)).rejects.toThrow("damaged");
    expect(await readdir(join(path, ".."))).toEqual(["store.json"]);
  });
});
