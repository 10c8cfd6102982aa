import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DocumentFile } from "../../src/adapters/store/document.js";
import { endMarkPath } from "../../src/adapters/store/end-mark.js";
import { createJournal, journalPath, type Opening } from "../../src/adapters/store/journal.js";
import { loadStore } from "../../src/adapters/store/load-store.js";
import type { StoreEntry } from "../../src/adapters/store/store.js";
import { copyOf, letters, newStorePath, openLetters, placeOf, withChecksum } from "../support/letter-store.js";

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
      "a line of another journal of the same epoch",
      false,
      (lines) => lines.with(2, withChecksum('1 3 [["put","x",1]]').trim()),
      "journal-1:3:1: the store is damaged here: the line does not have its checksum",
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
      "journal-1:1:1: the store is damaged here: the first line of the journal is missing",
    ],
    [
      "everything gone, after a kill",
      false,
      () => [],
      "journal-1:1:1: the store is damaged here: the first line of the journal is missing",
    ],
    [
      "zeros instead of everything, after a kill",
      false,
      (lines) => ["\0".repeat(lines.join().length)],
      "journal-1:1:1: the store is damaged here: the first line of the journal is missing",
    ],
    [
      "a line of an earlier holder",
      false,
      (lines) => [...lines, withChecksum('0 6 [["put","e",1]]', lines.at(-1)).trim()],
      "journal-1:6:1: epoch 0 wrote this line, but epoch 1 had the store before",
    ],
    [
      "a line of version 0.1",
      false,
      (lines) => [...lines, withChecksum('[["put","e",1]]', lines.at(-1)).trim()],
      "journal-1:6:1: epoch 0 wrote this line",
    ],
  ])("by %s", async (_, close, edit, result) => {
    expect(await edited(close, edit)).toContain(result);
  });

  it.each<[string, Pick<Opening, "after">, StoreEntry[], string]>([
    ["continues where the one before ends", { after: 2 }, [["put", "b", 2]], "ab"],
    ["begins before the one before ended, without changes", { after: 1 }, [], "a"],
    ["begins before the one before ended", { after: 1 }, [["put", "b", 2]], "this does not follow from …/store.json"],
    [
      "continues after missing lines",
      { after: 3 },
      [],
      "journal-1:3:1: the journal does not end as it was written: it has 2 lines, and …/store.json.journal-2 goes on after line 3",
    ],
    ["belongs to a missing document", { after: null }, [["put", "b", 2]], "this does not follow from …/store.json"],
    ["belongs to a document that was not written", { after: null }, [], "a"],
  ])("by one after it, which %s", async (_, opening, entries, result) => {
    const path = await newStorePath();
    const { store, put } = await openLetters(path);
    put("a", 1);
    await store.durable(true);
    const copy = await copyOf(path);
    const { holder } = (await new DocumentFile(placeOf(copy)).read()) ?? {};
    const journal = await createJournal(placeOf(copy, 1, holder), 2, opening);
    if (entries.length > 0) await journal.append(entries);
    await journal.close();
    const loaded = await loadStore(placeOf(copy), letters).then(
      ({ data }) => [...data.keys()].join(""),
      (thrown: Error) => thrown.message.replaceAll(join(copy, ".."), "…"),
    );
    expect(loaded).toContain(result);
  });

  it.each<[string, number[]]>([
    ["with", [1, 2]],
    ["without", [1]],
  ])("is refused beside the document of another store of the same epoch, %s changes", async (_, changed) => {
    const [one, other] = [await newStorePath(), await newStorePath()];
    for (const path of [one, other]) {
      for (const session of [1, 2]) {
        const { store, put } = await openLetters(path);
        await store.writable();
        if (path === other || changed.includes(session)) put("a", session);
        await store.close();
      }
    }
    await writeFile(one, await readFile(other));
    await expect(openLetters(one)).rejects.toThrow("journal-2:1:1: this does not follow from ");
  });

  it("is refused under the name of a later one of the same process", async () => {
    const path = await newStorePath();
    const { store, put } = await openLetters(path, { journalBytes: 100 });
    put("a", 1);
    await store.durable(true);
    const first = await readFile(journalPath(path, 1));
    put("a", 2);
    await store.close();
    await writeFile(journalPath(path, 2), first);
    await expect(openLetters(path)).rejects.toThrow("journal-2:1:1: this is the journal 1 under another name");
  });

  it("is refused with the end mark of a later holder, beside a document of an earlier one", async () => {
    const path = await newStorePath();
    await (await openLetters(path)).store.close();
    const early = await copyOf(path);
    await (await openLetters(path)).store.close();
    await writeFile(endMarkPath(early), await readFile(endMarkPath(path)));
    await expect(openLetters(early)).rejects.toThrow("store.json:1:1: epoch 1 wrote it, and ");
  });
});
