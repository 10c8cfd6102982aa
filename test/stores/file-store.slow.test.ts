import { readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { copyOf, newStorePath, openLetters } from "../support/letter-store.js";

describe("a journal that was cut at any byte", () => {
  it("loads with every change that was acknowledged before", async () => {
    const path = await newStorePath();
    const { store, put } = await openLetters(path);
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
      const { store: again } = await openLetters(copy);
      const kept = sizes.filter((size) => size <= bytes).length;
      // A group that lacks nothing but its line end may be there: it is whole.
      expect([kept, kept + 1]).toContain(again.data.size);
      expect([...again.data.values()]).toEqual(Array.from({ length: again.data.size }, (_, n) => n + 1));
      await again.close();
    }
  });
});
