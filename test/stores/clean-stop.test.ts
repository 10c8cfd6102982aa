import { mkdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { endMarkPath } from "../../src/adapters/store/end-mark.js";
import { journalPath } from "../../src/adapters/store/journal.js";
import { newStorePath, openLetters, overwriteWithOther } from "../support/letter-store.js";

describe("a clean stop", () => {
  it.each([
    ["removed checkpoint", (path: string) => rm(path)],
    ["removed journal", (path: string) => rm(journalPath(path, 1))],
    ["shortened journal", (path: string) => truncate(journalPath(path, 1), 40)],
    ["checkpoint of another moment", overwriteWithOther],
    ["checkpoint that was moved and linked", moveAndLink],
  ])("writes a %s again, also when nothing changes any more", async (_, take) => {
    const path = await newStorePath();
    const { store, put } = await openLetters(path);
    put("a", 1);
    await store.durable(true);
    await take(path);
    await store.close();
    const again = await openLetters(path);
    expect([...again.store.data]).toEqual([["a", 1]]);
  });

  it.each([
    ["after another change", { b: 2 }],
    ["without another change", {}],
  ])("writes over a backup of the same length that was copied over the checkpoint, %s", async (_, changes) => {
    const path = await newStorePath();
    const first = await openLetters(path);
    first.put("a", 1);
    await first.store.close();
    // This session changes nothing, so the next one begins with a checkpoint of the same length.
    await (await openLetters(path)).store.close();
    const backup = await readFile(path);
    const { store, put } = await openLetters(path);
    await store.writable();
    expect((await stat(path)).size).toBe(backup.length);
    await writeFile(path, backup);
    for (const [key, value] of Object.entries(changes)) put(key, value);
    await store.durable(true);
    await store.close();
    const again = await openLetters(path);
    expect(Object.fromEntries(again.store.data)).toEqual({ a: 1, ...changes });
  });

  it.each([0, 1, 2, 3, 4])(
    "can be followed by a start when a change comes %i turns after the last one was stored",
    async (turns) => {
      const path = await newStorePath();
      const { store, put } = await openLetters(path);
      put("a", 1);
      const changeLate = async (): Promise<void> => {
        await store.durable(true);
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        put("b", 2);
      };
      await Promise.all([changeLate(), store.close()]);
      const again = await openLetters(path);
      expect(again.store.data.get("a")).toBe(1);
    },
  );

  it("succeeds when only the lock cannot be removed", async () => {
    const path = await newStorePath();
    const { store, logged } = await openLetters(path);
    await rm(`${path}.lock`);
    await mkdir(`${path}.lock`);
    await store.close();
    expect(logged).toEqual([expect.stringMatching(/^warn the end could not be marked: .*store.json.lock is a folder/)]);
  });
});

async function moveAndLink(path: string): Promise<void> {
  const elsewhere = await newStorePath();
  await rename(path, elsewhere);
  await symlink(elsewhere, path);
}

describe("after a clean stop", () => {
  async function closedStore(): Promise<string> {
    const path = await newStorePath();
    const { store, put } = await openLetters(path);
    put("a", 1);
    await store.close();
    return path;
  }

  it("a store with nothing but its end mark is refused", async () => {
    const path = await closedStore();
    await Promise.all([rm(path), rm(journalPath(path, 1))]);
    await expect(openLetters(path)).rejects.toThrow(`it is missing, and ${endMarkPath(path)}, which says how it ended`);
  });

  it("an end mark with a changed number is refused", async () => {
    const path = await closedStore();
    const mark = await readFile(endMarkPath(path), "utf8");
    await writeFile(endMarkPath(path), mark.replace('"generation":1', '"generation":3'));
    await expect(openLetters(path)).rejects.toThrow(
      "the store is damaged here: this does not say how its journal ends",
    );
  });
});

it("a store whose checkpoint is missing, and whose first journal was emptied, is refused", async () => {
  const path = await newStorePath();
  const { store, put } = await openLetters(path);
  put("a", 1);
  await store.close();
  await Promise.all([rm(path), rm(endMarkPath(path)), truncate(journalPath(path, 1))]);
  await expect(openLetters(path)).rejects.toThrow(`it is missing, and ${journalPath(path, 1)}, which goes on from it`);
});
