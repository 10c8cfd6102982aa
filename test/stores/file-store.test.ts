import { mkdir, readdir, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DocumentFile } from "../../src/adapters/store/document.js";
import { createJournal, journalPath } from "../../src/adapters/store/journal.js";
import { checksum, renderChecksum } from "../../src/adapters/store/lines.js";
import { openFileStore } from "../../src/adapters/store/file-store.js";
import { type FileSystem, nodeFileSystem } from "../../src/adapters/store/file-system.js";
import { silentLog } from "../../src/kernel/log.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { createFaultyFiles } from "../support/faulty-files.js";
import fc from "../support/fast-check.js";
import { folderWith } from "../support/folder.js";
import {
  copyOf,
  type Data,
  letters,
  newStorePath,
  openLetters,
  overwriteWithOther,
  placeOf,
  withChecksum,
} from "../support/letter-store.js";

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

  it("is where a new link leads that is in a linked folder", async () => {
    const folder = await folderWith({});
    await mkdir(join(folder, "releases/1"), { recursive: true });
    await symlink("releases/1", join(folder, "current"));
    await symlink("../../store.json", join(folder, "releases/1/store.json"));
    const { store, put } = await openLetters(join(folder, "current/store.json"));
    put("a", 1);
    await store.close();
    expect([...(await openLetters(join(folder, "store.json"))).store.data]).toEqual([["a", 1]]);
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

  it("loads when something was changed and then removed just before a new document", async () => {
    const path = await newStorePath();
    const fs = createFaultyFiles();
    // Like a change of a company, which fails if what it changes is missing.
    const strict: typeof letters = {
      ...letters,
      apply(data, entry) {
        if (entry[0] === "change" && !data.has(String(entry[1]))) throw new Error(`there is no ${String(entry[1])}`);
        if (entry[0] !== "change") letters.apply(data, entry);
      },
    };
    const options = { path, format: strict, system: systemClock, log: silentLog, journalBytes: 200 };
    const store = await openFileStore({ ...options, fs });
    store.data.set("a", 1);
    store.note(["put", "a", 1]);
    await store.durable();
    const release = fs.holdSync();
    const { syncs } = fs;
    store.note(["change", "a", "x".repeat(200)]);
    while (fs.syncs === syncs) await systemClock.yieldToEventLoop();
    store.note(["change", "a"]);
    store.data.delete("a");
    store.note(["drop", "a"]);
    release();
    await store.durable();
    await store.close();
    const again = await openFileStore(options);
    expect(again.data.size).toBe(0);
    await again.close();
  });

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
    ["a file that is not a store", (path) => writeFile(path, "hello"), "…/store.json:1:1: the store is damaged here: "],
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
      (path) => change(path, (text) => text.replace('"schemaVersion":3', '"schemaVersion":4')),
      "…/store.json:1:1: the store is of version 4, and this sandbox reads up to 3: a newer business-payments-sandbox wrote it",
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

  it.each([
    [{ epoch: 2 ** 53 }, `epoch must be a whole number from 0 to 999999999999, got ${2 ** 53}`],
    [{ epoch: 10 ** 12 }, "epoch must be a whole number from 0 to 999999999999, got 1000000000000"],
    [{ epoch: -1 }, "epoch must be a whole number from 0 to 999999999999, got -1"],
    [{ generation: 0 }, "generation must be a whole number from 1 to 999999999999, got 0"],
    [{ generation: 1.5 }, "generation must be a whole number from 1 to 999999999999, got 1.5"],
    [{ generation: 1e300 }, "generation must be a whole number from 1 to 999999999999, got 1e+300"],
    [{ schemaVersion: 0 }, "schemaVersion must be a whole number from 1 to 999999999999, got 0"],
    [{ schemaVersion: 1.5 }, "schemaVersion must be a whole number from 1 to 999999999999, got 1.5"],
  ])("whose head says %o is refused", async (head, message) => {
    const place = placeOf(await newStorePath());
    await new DocumentFile(place).write({
      schemaVersion: 3,
      epoch: 1,
      holder: "",
      generation: 1,
      entries: [],
      ...head,
    });
    await (await createJournal(place, 1, { after: null })).close();
    await expect(openLetters(place.path)).rejects.toMatchObject({
      kind: "file",
      message: expect.stringContaining(`store.json:1:1: this is not a store of the sandbox: ${message}`),
    });
  });

  it.each([
    [
      "an end mark",
      "closed",
      withChecksum('{"epoch":1,"generation":1,"lines":-1}'),
      "lines must be a whole number from 1 to",
    ],
    [
      "an end mark",
      "closed",
      withChecksum('{"epoch":1.5,"generation":1,"lines":1}'),
      "epoch must be a whole number from 1 to",
    ],
    ["an opening", "journal-1", withChecksum('1 1 {"after":0.5}'), "after must be a whole number from 1 to"],
    ["an epoch", "journal-1", withChecksum('9007199254740992 1 {"after":null}'), "the store is damaged here"],
  ])("with %s that has a wrong number is refused", async (_, name, text, message) => {
    const path = await newStorePath();
    await (await openLetters(path)).store.close();
    await writeFile(`${path}.${name}`, text);
    await expect(openLetters(path)).rejects.toMatchObject({
      kind: "file",
      message: expect.stringMatching(new RegExp(`store\\.json\\.${name}:1:.*${message}`)),
    });
  });

  it.each(["lock", "lock.turn", "closed", "journal-1", "journal-2"])(
    "with a folder or a device as its %s is refused, and not changed",
    async (name) => {
      for (const make of [(file: string) => mkdir(file), (file: string) => symlink("/dev/zero", file)]) {
        const path = await newStorePath();
        await (await openLetters(path)).store.close();
        await (await openLetters(path)).store.close();
        // Otherwise nobody waits for a turn.
        if (name === "lock.turn") await writeFile(`${path}.lock`, "");
        await rm(`${path}.${name}`, { force: true });
        await make(`${path}.${name}`);
        const before = await readdir(join(path, ".."));
        await expect(openLetters(path)).rejects.toMatchObject({
          kind: "file",
          message: expect.stringMatching(new RegExp(`store\\.json\\.${name} is a (?:folder|pipe or a device)`)),
        });
        expect(await readdir(join(path, ".."))).toEqual(before);
      }
    },
  );

  it("is not called damaged when another process took the store over while this one read it", async () => {
    const path = await newStorePath();
    await (await openLetters(path)).store.close();
    let lists = 0;
    const fs: FileSystem = {
      ...nodeFileSystem,
      async listFolderOf(file) {
        // The document has been read by now.
        if (++lists === 2) {
          await rm(`${path}.lock`);
          await (await openLetters(path)).store.close();
        }
        return nodeFileSystem.listFolderOf(file);
      },
    };
    await expect(openLetters(path, { fs })).rejects.toMatchObject({
      kind: "cannot-run",
      message: `Failed to open the store ${path}: its lock, ${path}.lock, was removed.`,
    });
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

  it("of version 0.1 is read, and written in the present version", async () => {
    const path = await newStorePath();
    const lines = '{"schemaVersion":1,"generation":3,"entries":[\n["put","a",1]\n';
    await writeFile(path, `${lines}],"checksum":"${renderChecksum(checksum(lines))}"}\n`);
    await writeFile(journalPath(path, 3), withChecksum("[]") + withChecksum('[["put","b",2],["put","c",3]]'));
    await writeFile(journalPath(path, 4), withChecksum('[["drop","c"]]'));
    const { store } = await openLetters(path);
    expect([...store.data.keys()]).toEqual(["a", "b"]);
    await store.close();
    expect(await readFile(path, "utf8")).toMatch(/"schemaVersion":3,"epoch":1,"holder":"[^"]+","generation":5/);
  });
});

describe("the disk", () => {
  it.each(["ENOSPC: no space left on device, write", "EROFS: read-only file system, open"])(
    "%s: writes fail, reads continue, and the store recovers",
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

  it("has a quota that is used up: the reason says so, although Node has no name for it", async () => {
    const fs = createFaultyFiles();
    const { store, put } = await openLetters(await newStorePath(), { fs });
    fs.fail("Unknown system error -122: Unknown system error -122, write");
    put("a", 1);
    await expect(store.durable(true)).rejects.toThrow(": the disk quota is used up, write. Make room there");
  });

  it("is full at the start: reads work, and the log says once that nothing can be stored, until there is room", async () => {
    const path = await newStorePath();
    const first = await openLetters(path);
    first.put("a", 1);
    await first.store.close();
    const fs = createFaultyFiles();
    fs.fail("ENOSPC: no space left on device, write");
    const { store, put, logged } = await openLetters(path, { fs });
    expect([...store.data.keys()]).toEqual(["a"]);
    await store.durable(false);
    for (let n = 0; n < 3; n++) await expect(store.writable()).rejects.toThrow("ENOSPC");
    fs.fail(undefined);
    await store.writable();
    put("b", 1);
    await store.durable(true);
    expect([...(await openLetters(await copyOf(path))).store.data.keys()]).toEqual(["a", "b"]);
    expect(logged).toEqual([
      "error the state cannot be kept: ENOSPC: no space left on device, write",
      `info the state is kept again in ${path}`,
    ]);
  });

  it("is full from the start to the stop: nothing was changed, so the stop succeeds", async () => {
    const path = await newStorePath();
    const first = await openLetters(path);
    first.put("a", 1);
    await first.store.close();
    const fs = createFaultyFiles();
    fs.fail("ENOSPC: no space left on device, write");
    const { store } = await openLetters(path, { fs });
    await expect(store.writable()).rejects.toThrow("ENOSPC");
    await store.close();
    expect([...(await openLetters(path)).store.data.keys()]).toEqual(["a"]);
  });

  it("is full from the start to the stop, and the checkpoint was removed: the stop fails", async () => {
    const path = await newStorePath();
    await (await openLetters(path)).store.close();
    const fs = createFaultyFiles();
    fs.fail("ENOSPC: no space left on device, write");
    const { store } = await openLetters(path, { fs });
    await rm(path);
    await expect(store.close()).rejects.toThrow(`Failed to write the last changes to ${path}: ENOSPC`);
  });

  it("has room for small files only: the log says so once, and nothing is changed", async () => {
    const path = await newStorePath();
    let room = Infinity;
    const fs: FileSystem = {
      ...nodeFileSystem,
      async create(name) {
        const file = await nodeFileSystem.create(name);
        const append = async (text: string): Promise<void> => {
          if (text.length > room) throw new Error("ENOSPC");
          await file.append(text);
        };
        return { ...file, append };
      },
    };
    const { store, put, logged } = await openLetters(path, { fs });
    for (let n = 0; n < 20; n++) put(`key-${n}`, n);
    await store.durable(true);
    room = 100;
    put("one-more-that-is-long".repeat(10), 1);
    await expect(store.durable(true)).rejects.toThrow("ENOSPC");
    for (let n = 0; n < 3; n++) await expect(store.writable()).rejects.toThrow("ENOSPC");
    await expect(store.close()).rejects.toThrow(`Failed to write the last changes to ${path}: ENOSPC. Everything`);
    expect(logged).toEqual(["error the state cannot be kept: ENOSPC"]);
  });

  it.each<[string, (path: string) => Promise<void>]>([
    ["a removed journal", (path) => rm(`${path}.journal-1`)],
    ["a removed checkpoint", (path) => rm(path)],
    ["an emptied journal", (path) => truncate(`${path}.journal-1`)],
    ["a checkpoint of another moment", (path) => overwriteWithOther(path)],
  ])("%s is written again with the next change", async (_, take) => {
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

  describe("was full when a checkpoint was due, so the store needs two journals. Somebody", () => {
    /** The store needs both of its journals. */
    const openWithTwoJournals = async () => {
      const path = await newStorePath();
      let isFull = false;
      const fs: FileSystem = {
        ...nodeFileSystem,
        async rename(from, to) {
          if (to === path && isFull) throw new Error("ENOSPC");
          await nodeFileSystem.rename(from, to);
        },
      };
      const { store, put, logged } = await openLetters(path, { fs, journalBytes: 500 });
      isFull = true;
      put("a".repeat(500), 1);
      await store.durable(true);
      while (logged.length === 0) await systemClock.yieldToEventLoop();
      isFull = false;
      expect(logged).toEqual(["warn a checkpoint could not be written: ENOSPC"]);
      return { path, store, put };
    };

    it.each<[string, (journal: string) => Promise<void>]>([
      ["removes", (journal) => rm(journal)],
      ["empties", (journal) => truncate(journal)],
    ])("%s the first one: the next change writes everything again", async (_, take) => {
      const { path, store, put } = await openWithTwoJournals();
      await take(journalPath(path, 1));
      put("b", 2);
      await store.durable(true);
      const { store: again } = await openLetters(await copyOf(path));
      expect([...again.data.values()]).toEqual([1, 2]);
    });

    it("removes the first one: the stop writes everything again", async () => {
      const { path, store } = await openWithTwoJournals();
      await rm(journalPath(path, 1));
      await store.close();
      expect([...(await openLetters(path)).store.data.values()]).toEqual([1]);
    });
  });

  it("a journal that is removed before the checkpoint is written: a change waits for the checkpoint", async () => {
    const path = await newStorePath();
    let writing = Promise.resolve();
    const fs: FileSystem = {
      ...nodeFileSystem,
      async rename(from, to) {
        if (to === path) await writing;
        await nodeFileSystem.rename(from, to);
      },
    };
    const { store, put } = await openLetters(path, { fs, journalBytes: 500 });
    let finish = (): void => undefined;
    writing = new Promise((resolve) => (finish = resolve));
    put("a".repeat(500), 1);
    await store.durable(true);
    await rm(journalPath(path, 1));
    put("b", 2);
    const copies: string[] = [];
    const kept = (async () => {
      await store.durable(true);
      copies.push(await copyOf(path));
    })();
    while (copies.length === 0 && store.writable() === undefined) await systemClock.yieldToEventLoop();
    finish();
    await kept;
    for (const copy of copies) expect([...(await openLetters(copy)).store.data.values()]).toEqual([1, 2]);
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

it("does not touch files that only begin like its own unfinished ones", async () => {
  const own = { "store.json.tmp": "a copy", "store.json.tmp-b": "mine" };
  const folder = await folderWith({ ...own, "store.json.tmp-1-0a1b2c3d": "unfinished" });
  await openLetters(join(folder, "store.json"));
  const names = await readdir(folder);
  expect(names).toEqual(expect.arrayContaining(Object.keys(own)));
  expect(names).not.toContain("store.json.tmp-1-0a1b2c3d");
});
