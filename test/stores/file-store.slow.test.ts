import { constants } from "node:buffer";
import { readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openFileStore } from "../../src/adapters/store/file-store.js";
import { loadStore } from "../../src/adapters/store/load-store.js";
import type { Log } from "../../src/kernel/log.js";
import { UsageError } from "../../src/kernel/messages/problem.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { copyOf, letters, newStorePath, openLetters, placeOf } from "../support/letter-store.js";
import { longestStop } from "../support/loop-stops.js";

describe("a journal that was cut at any byte", () => {
  it("loads with every change that was acknowledged before", async () => {
    const path = await newStorePath();
    const { store, put } = await openLetters(path);
    const sizes: number[] = [];
    const journal = join(path, "..", "store.json.journal-1");
    const opening = (await readFile(journal)).length;
    for (let n = 1; n <= 5; n++) {
      put(`k${n}`, n);
      await store.durable(true);
      sizes.push((await readFile(journal)).length);
    }
    const whole = (await readFile(journal)).length;
    for (let bytes = 0; bytes <= whole; bytes++) {
      const copy = await copyOf(path);
      await truncate(join(copy, "..", "store.json.journal-1"), bytes);
      // The journal got its name only when its first line was on the disk, so that line can lack only its line end.
      if (bytes < opening - 1) {
        await expect(openLetters(copy)).rejects.toThrow("the first line of the journal is missing");
        continue;
      }
      const { store: again } = await openLetters(copy);
      const kept = sizes.filter((size) => size <= bytes).length;
      // A group that lacks only its line end is complete, and may be loaded.
      expect([kept, kept + 1]).toContain(again.data.size);
      expect([...again.data.values()]).toEqual(Array.from({ length: again.data.size }, (_, n) => n + 1));
      await again.close();
    }
  });
});

describe("large changes", () => {
  /** A store whose document has these records, in one entry. */
  async function openRecords(path: string, records: () => readonly unknown[], journalBytes = 1) {
    const format = { createEmpty: () => ({}), apply: () => undefined, dump: () => [["rows", records()] as const] };
    const logged: unknown[] = [];
    const log = { write: (...[, , fields]: Parameters<Log["write"]>) => void logged.push(fields?.["message"]) };
    const store = await openFileStore({ path, format, system: systemClock, log, journalBytes });
    return { store, logged };
  }

  /** A record of a megabyte of short values, which takes tens of milliseconds to write. */
  const dense = Object.fromEntries(Array.from({ length: 90_000 }, (_, n) => [`a${n}`, 0]));
  const twenty = Array.from({ length: 20 }, () => dense);
  /** Two of them have fewer characters than a text can have, but too many bytes to be read as one. */
  const half = "€".repeat(constants.MAX_STRING_LENGTH / 5);

  it("are written one record at a time", async () => {
    const path = await newStorePath();
    let records: readonly unknown[] = [];
    const { store } = await openRecords(path, () => records);
    records = twenty;
    // 20 records in one step took 700 ms.
    const change = async () => {
      store.note(["rows", twenty]);
      await store.durable(true);
      await store.close();
    };
    expect(await longestStop(change)).toBeLessThan(250);
    expect(await readFile(path, "utf8")).toContain(`["rows",${JSON.stringify(twenty)}]`);
  });

  it("that are too long for the journal are written with everything else", async () => {
    const path = await newStorePath();
    const { store, logged } = await openRecords(path, () => [], Infinity);
    store.note(["rows", [half, half]]);
    await store.durable(true);
    await store.close();
    expect(logged).toEqual([]);
    await (await openRecords(path, () => [])).store.close();
  });

  it("that are too large for any process to read are not written", async () => {
    const path = await newStorePath();
    let records: readonly unknown[] = [];
    const { store, logged } = await openRecords(path, () => records);
    records = [half, half];
    store.note(["rows"]);
    await store.close();
    expect(logged).toEqual(["a checkpoint could not be written: a part of it is longer than a text can be"]);
    await (await openRecords(path, () => [])).store.close();
  });
});

describe("a store after a clean stop", () => {
  const everything = "first,k1,k2,k3,k4,k5";

  /** What a store loads as after each damage: "refused", or its content. */
  async function loadDamaged(damages: (content: Buffer) => Iterable<Buffer>): Promise<Map<string, number>> {
    const path = await newStorePath();
    const { store, put } = await openLetters(path);
    put("first", 1);
    await store.close();
    const again = await openLetters(path);
    for (let n = 1; n <= 5; n++) {
      again.put(`k${n}`, n);
      await again.store.durable(true);
    }
    await again.store.close();
    const folder = join(path, "..");
    const results = new Map<string, number>();
    for (const name of await readdir(folder)) {
      const content = await readFile(join(folder, name));
      for (const damaged of damages(content)) {
        await writeFile(join(folder, name), damaged);
        const result = await loadStore(placeOf(path), letters).then(
          ({ data }) => [...data.keys()].join(),
          (error: unknown) => (error instanceof UsageError && error.kind === "file" ? "refused" : String(error)),
        );
        results.set(result, (results.get(result) ?? 0) + 1);
      }
      await writeFile(join(folder, name), content);
    }
    return results;
  }

  it("is refused when any of its files is cut at any byte", async () => {
    const results = await loadDamaged(function* (content) {
      for (let bytes = 0; bytes < content.length; bytes++) yield content.subarray(0, bytes);
    });
    // Each file has the same content without its last line end.
    expect(results).toEqual(
      new Map([
        ["refused", expect.any(Number)],
        [everything, 3],
      ]),
    );
    expect(results.get("refused")).toBeGreaterThan(300);
  });

  it("is refused when any byte of its files is changed", async () => {
    const results = await loadDamaged(function* (content) {
      for (let at = 0; at < content.length; at++)
        for (const bit of [1, 4]) {
          const changed = Buffer.from(content);
          changed[at]! ^= bit;
          yield changed;
        }
    });
    expect(results).toEqual(new Map([["refused", expect.any(Number)]]));
    expect(results.get("refused")).toBeGreaterThan(600);
  });
});
