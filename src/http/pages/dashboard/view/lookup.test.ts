import { describe, expect, it } from "vitest";
import { type PageRequest, type Row, Table } from "../../../../kernel/table.js";
import { Lookup } from "./lookup.js";

interface Entry extends Row {
  readonly resource: string | null;
  readonly note?: string;
}

function tableOf(...rows: Entry[]) {
  const table = new Table<Entry>("entries");
  for (const row of rows) table.set(row);
  let read = 0;
  const counted = {
    get size() {
      return table.size;
    },
    get: (id: string) => table.get(id),
    page(request: PageRequest<Entry>) {
      const page = table.page(request);
      read += page.rows.length;
      return page;
    },
  };
  return { table, counted, read: () => read };
}

const entry = (seq: number, resource: string | null = "a"): Entry => ({ id: `e${seq}`, seq, resource });

describe("Lookup", () => {
  it("finds the rows of a key, oldest first, as they are now", () => {
    const { table, counted } = tableOf(entry(1), entry(2, "b"), entry(3), entry(4, null));
    const lookup = new Lookup(counted, ({ resource }) => resource);
    expect(lookup.find("a").map(({ id }) => id)).toEqual(["e1", "e3"]);
    table.set({ ...entry(3), note: "changed" });
    expect(lookup.find("a").at(-1)).toMatchObject({ note: "changed" });
    expect(lookup.find("c")).toEqual([]);
  });

  it("reads each row once, however often it is asked", () => {
    const { table, counted, read } = tableOf(...Array.from({ length: 1_000 }, (_, index) => entry(index + 1)));
    const lookup = new Lookup(counted, ({ resource }) => resource);
    for (let asked = 0; asked < 50; asked++) lookup.find("a");
    expect(read()).toBe(1_000);
    table.set(entry(1_001, "b"));
    expect(lookup.find("b")).toHaveLength(1);
    expect(read()).toBe(1_001);
  });

  it("lets others have their turn while it reads very much for the first time", async () => {
    const { counted } = tableOf(...Array.from({ length: 20_001 }, (_, index) => entry(index + 1)));
    const lookup = new Lookup(counted, ({ resource }) => resource);
    let turns = 0;
    await lookup.catchUp({ yieldToEventLoop: async () => void turns++ });
    expect(turns).toBe(4);
    expect(lookup.find("a")).toHaveLength(20_001);
  });

  it("leaves out what was forgotten, and does not hold it for ever", () => {
    const { table, counted, read } = tableOf();
    const lookup = new Lookup(counted, ({ resource }) => resource);
    for (let seq = 1; seq <= 5_000; seq++) {
      table.set(entry(seq));
      if (seq > 10) table.delete(`e${seq - 10}`);
      expect(lookup.find("a")).toHaveLength(Math.min(seq, 10));
    }
    // It began anew whenever it held far more than there is.
    expect(read()).toBeLessThan(2 * 5_000);
  });
});
