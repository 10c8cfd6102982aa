import { appendFile, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openFileStore } from "../../src/adapters/store/file-store.js";
import { type FileSystem, nodeFileSystem } from "../../src/adapters/store/file-system.js";
import { StoreUnavailable } from "../../src/adapters/store/store.js";
import { createDeferred } from "../../src/kernel/events.js";
import { UsageError } from "../../src/kernel/messages/problem.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { copyOf, letters, newStorePath, openLetters } from "../support/letter-store.js";

/** The files in a store's folder by their names; none when it is gone. */
async function filesIn(path: string): Promise<Map<string, string>> {
  const folder = join(path, "..");
  const names = await readdir(folder).catch(() => []);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const)),
  );
}

describe("the lock", () => {
  it("refuses a second process and names the holder", async () => {
    const path = await newStorePath();
    await openLetters(path);
    const lock = JSON.parse(await readFile(`${path}.lock`, "utf8"));
    expect(lock).toMatchObject({ pid: process.pid, name: "a test" });
    // The holder is this process. Give the lock to another living process, number 1.
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

  it("is touched also when the machine's clock was set back", async () => {
    const path = await newStorePath();
    const checks: (() => void)[] = [];
    let now = systemClock.now();
    const after = (_: number, run: () => void) => {
      checks.push(run);
      return () => undefined;
    };
    await openLetters(path, { system: { ...systemClock, now: () => now, after } });
    now -= 3_600_000;
    for (const check of checks.splice(0)) check();
    await expect.poll(async () => Math.round((await stat(`${path}.lock`)).mtimeMs)).toBe(now);
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
    // It has only the line of the change that was not acknowledged.
    const now = await filesIn(path);
    expect([...now.keys()]).toEqual([...left.keys()]);
    expect(now.get("store.json")).toEqual(left.get("store.json"));
  });

  it.each([
    ["journal", 1],
    ["document", 2],
  ])("that is lost just before a %s gets its name leaves the next holder's files alone", async (_, nth) => {
    const path = await newStorePath();
    const reached = createDeferred();
    const resume = createDeferred();
    let renames = -Infinity;
    const fs: FileSystem = {
      ...nodeFileSystem,
      async rename(from, to) {
        if (++renames === nth) {
          reached.resolve();
          await resume.promise;
        }
        await nodeFileSystem.rename(from, to);
      },
    };
    // Like a paused process: it does not check its lock by itself.
    const system = { ...systemClock, after: () => () => undefined };
    const first = await openLetters(path, { fs, journalBytes: 20, system });
    renames = 0;
    first.put("a", 1);
    void first.store.durable(true)?.catch(() => undefined);
    await reached.promise;
    await rm(`${path}.lock`);
    const second = await openLetters(path);
    second.put("b", 1);
    await second.store.durable(true);
    const files = await filesIn(path);
    resume.resolve();
    await expect(first.store.close()).rejects.toThrow("a test (process");
    expect(await filesIn(path)).toEqual(files);
    const { store } = await openLetters(await copyOf(path));
    expect([...store.data.keys()]).toEqual(["a", "b"]);
  });

  it.each<[string, (path: string, before: Map<string, string>) => Promise<void>]>([
    ["the lock", async () => undefined],
    ["the lock and the document", (path, before) => writeFile(path, before.get("store.json") ?? "")],
  ])("is lost when another process has had the store, even if somebody restored %s", async (_, bringBack) => {
    const path = await newStorePath();
    // Like a paused process: it does not check its lock by itself.
    const first = await openLetters(path, { system: { ...systemClock, after: () => () => undefined } });
    first.put("a", 1);
    await first.store.durable(true);
    const before = await filesIn(path);
    await rm(`${path}.lock`);
    const second = await openLetters(path);
    second.put("b", 1);
    await second.store.close();
    await bringBack(path, before);
    const files = await filesIn(path);
    await writeFile(`${path}.lock`, before.get("store.json.lock") ?? "");
    first.put("c", 1);
    const why = "a later process (epoch 2, this one has 1) has written to it";
    await expect(first.store.durable(true)).rejects.toThrow(why);
    await expect(first.store.writable()).rejects.toThrow(StoreUnavailable);
    await expect(first.store.close()).rejects.toThrow(why);
    expect(await filesIn(path)).toEqual(files);
  });

  it("of a dead process that wrote nothing gives the next process a later epoch", async () => {
    const path = await newStorePath();
    await (await openLetters(path)).store.close();
    await writeFile(`${path}.lock`, '{"pid":0,"name":"a test","epoch":7}');
    const { store } = await openLetters(path);
    await store.writable();
    expect((await filesIn(path)).get("store.json")).toContain('"epoch":8,');
  });

  it("that was lost while the process was paused for a moment answers no read", async () => {
    const path = await newStorePath();
    let now = Date.parse("2026-01-15T09:00:00Z");
    const system = { ...systemClock, now: () => now, after: () => () => undefined };
    const { store, put } = await openLetters(path, { system });
    put("a", 1);
    await store.durable(true);
    expect(store.durable(false)).toBeUndefined();
    await rm(`${path}.lock`);
    now += 100;
    await expect(store.durable(false)).rejects.toThrow(StoreUnavailable);
  });

  it("that is lost is noticed without any request", async () => {
    const path = await newStorePath();
    const { store } = await openLetters(path);
    await rm(`${path}.lock`);
    await once(store.lost, "abort");
    expect(store.lost.reason.message).toContain("was removed");
  });

  it("is released when the store is refused", async () => {
    const path = await newStorePath();
    await appendFile(path, "nonsense");
    await expect(openLetters(path)).rejects.toThrow("damaged");
    expect(await readdir(join(path, ".."))).toEqual(["store.json"]);
  });
});
