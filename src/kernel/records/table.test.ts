import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Table } from "./table.js";

interface Pet {
  readonly id: string;
  readonly seq: number;
  readonly name: string;
}

const pet = (seq: number, name = `pet ${seq}`): Pet => ({ id: `p${seq}`, seq, name });
const filled = (...pets: Pet[]): Table<Pet, "name"> => {
  const table = new Table<Pet, "name">("pets", { name: (row) => row.name });
  for (const row of pets) table.set(row);
  return table;
};

describe("Table", () => {
  it("keeps rows in the order of their seq, in whatever order they were added", () => {
    const table = filled(pet(2), pet(5), pet(1), pet(3));
    expect(table.values().map(({ seq }) => seq)).toEqual([1, 2, 3, 5]);
    expect(table.size).toBe(4);
  });

  it("replaces a row whole, in its place", () => {
    const table = filled(pet(1), pet(2), pet(3));
    table.set(pet(2, "Rex"));
    expect(table.values()).toEqual([pet(1), pet(2, "Rex"), pet(3)]);
    expect(table.get("p2")).toEqual(pet(2, "Rex"));
  });

  it.each(["p1", "p2", "p3"])("deletes %s, first, middle or last", (id) => {
    const table = filled(pet(1), pet(2), pet(3));
    table.delete(id);
    table.delete(id);
    expect(table.get(id)).toBeUndefined();
    expect(table.values().map((row) => row.id)).toEqual(["p1", "p2", "p3"].filter((other) => other !== id));
  });

  it("finds no row by the name of an inherited member", () => {
    const table = filled(pet(1));
    for (const name of ["__proto__", "constructor", "toString"]) {
      expect(table.get(name)).toBeUndefined();
      expect(table.findBy("name", name)).toBeUndefined();
    }
  });

  it("finds a row under its present key only", () => {
    const table = filled(pet(1, "Rex"));
    table.set(pet(1, "Max"));
    expect(table.findBy("name", "Rex")).toBeUndefined();
    expect(table.findBy("name", "Max")).toEqual(pet(1, "Max"));
    table.delete("p1");
    expect(table.findBy("name", "Max")).toBeUndefined();
  });

  it("finds the oldest of rows that share a key, and the next one when that is deleted", () => {
    const table = filled(pet(2, "Rex"), pet(3, "Rex"), pet(1, "Rex"));
    expect(table.findBy("name", "Rex")?.seq).toBe(1);
    table.set(pet(3, "Rex"));
    expect(table.findBy("name", "Rex")?.seq).toBe(1);
    table.delete("p1");
    expect(table.findBy("name", "Rex")?.seq).toBe(2);
    table.set(pet(2, "Max"));
    expect(table.findBy("name", "Rex")?.seq).toBe(3);
    table.delete("p3");
    expect(table.findBy("name", "Rex")).toBeUndefined();
  });

  it("reads no older row when the newest one is deleted", () => {
    let keysRead = 0;
    const table = new Table<Pet, "name">("pets", {
      name(row) {
        keysRead++;
        return row.name;
      },
    });
    for (let seq = 1; seq <= 1000; seq++) table.set(pet(seq));
    keysRead = 0;
    table.delete("p1000");
    expect(keysRead).toBe(1);
    expect(table.findBy("name", "pet 1000")).toBeUndefined();
  });

  it("is a sorted map with indexes, under any sequence of changes", () => {
    const change = fc.record({
      seq: fc.integer({ min: 0, max: 12 }),
      name: fc.constantFrom("a", "b", "c", null), // null deletes
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const table = filled();
        const model = new Map<string, Pet>();
        for (const { seq, name } of changes) {
          if (name === null) {
            table.delete(`p${seq}`);
            model.delete(`p${seq}`);
          } else {
            table.set(pet(seq, name));
            model.set(`p${seq}`, pet(seq, name));
          }
        }
        const sorted = [...model.values()].sort((a, b) => a.seq - b.seq);
        expect(table.page({ limit: 100 }).rows).toEqual(sorted);
        expect(table.page({ limit: 100, newestFirst: true }).rows).toEqual(sorted.toReversed());
        expect(table.values()).toEqual(sorted);
        expect(table.size).toBe(sorted.length);
        for (const name of ["a", "b", "c"]) {
          expect(table.findBy("name", name)).toEqual(sorted.find((row) => row.name === name));
        }
      }),
    );
  });

  it("moves a row whose seq changes", () => {
    const table = filled(pet(1), pet(2), pet(3));
    table.set({ ...pet(1, "Rex"), seq: 9 });
    expect(table.values().map(({ id }) => id)).toEqual(["p2", "p3", "p1"]);
    expect(table.findBy("name", "Rex")?.seq).toBe(9);
    expect(table.size).toBe(3);
  });

  it("finds every row after many were deleted and older ones were added", () => {
    const table = filled();
    for (let seq = 100; seq < 400; seq++) table.set(pet(seq));
    for (let seq = 100; seq < 400; seq++) if (seq % 3 !== 0) table.delete(`p${seq}`);
    for (const seq of [50, 40, 200, 30]) table.set(pet(seq));
    const seqs = [30, 40, 50, ...Array.from({ length: 300 }, (_, n) => 100 + n)].filter(
      (n) => n % 3 === 0 || n < 60 || n === 200,
    );
    expect(table.values().map(({ seq }) => seq)).toEqual(seqs);
    for (const seq of seqs) {
      table.set(pet(seq, "new"));
      expect(table.get(`p${seq}`)).toEqual(pet(seq, "new"));
    }
    expect(table.values()).toEqual(seqs.map((seq) => pet(seq, "new")));
    expect(table.findBy("name", "new")?.seq).toBe(30);
  });

  it("lets its oldest rows be deleted one by one", () => {
    const table = filled();
    for (let seq = 1; seq <= 1_000; seq++) {
      table.set(pet(seq));
      if (seq > 10) table.delete(`p${seq - 10}`);
    }
    expect(table.size).toBe(10);
    expect(table.page({ limit: 2 }).rows.map(({ seq }) => seq)).toEqual([991, 992]);
    expect(table.values().map(({ seq }) => seq)).toEqual(Array.from({ length: 10 }, (_, n) => 991 + n));
  });

  describe("page", () => {
    const table = filled(pet(10), pet(20), pet(30), pet(40));
    it.each([
      ["from the start", { limit: 2 }, [10, 20], true],
      ["all", { limit: 4 }, [10, 20, 30, 40], false],
      ["beyond a row", { limit: 2, beyond: 20 }, [30, 40], false],
      ["beyond a place where no row stands", { limit: 1, beyond: 25 }, [30], true],
      ["beyond the end", { limit: 2, beyond: 40 }, [], false],
      ["newest first", { limit: 3, newestFirst: true }, [40, 30, 20], true],
      ["newest first, beyond a row", { limit: 3, newestFirst: true, beyond: 30 }, [20, 10], false],
      ["newest first, beyond the end", { limit: 3, newestFirst: true, beyond: 10 }, [], false],
      ["filtered", { limit: 1, where: (row: Pet) => row.seq > 20 }, [30], true],
      ["filtered, nothing more", { limit: 2, where: (row: Pet) => row.seq > 20 }, [30, 40], false],
    ])("%s", (_, request, seqs, more) => {
      const page = table.page(request);
      expect({ seqs: page.rows.map(({ seq }) => seq), more: page.more }).toEqual({ seqs, more });
    });
  });
});
