import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isCursor, listPage, type ListRequest, type Page } from "./page.js";
import { type Row, Table } from "./table.js";

const tableOf = (...seqs: number[]): Table<Row> => {
  const table = new Table<Row>("rows");
  for (const seq of seqs) table.set({ id: String(seq), seq });
  return table;
};

function page(table: Table<Row>, request: ListRequest<Row>): Page<Row> {
  const found = listPage(table, request);
  if (found === undefined) throw new Error("The cursor was refused");
  return found;
}

const seqsOf = ({ rows }: Page<Row>): number[] => rows.map(({ seq }) => seq);

/** Returns every page in one direction, beginning with `first`. */
function walk(table: Table<Row>, first: Page<Row>, direction: "next" | "prev", request: ListRequest<Row>): Page<Row>[] {
  const pages = [first];
  for (let cursor = first[direction]; cursor !== null; cursor = pages.at(-1)?.[direction] ?? null) {
    pages.push(page(table, { ...request, cursor }));
  }
  return pages;
}

describe("listPage", () => {
  it("has no cursors when everything fits", () => {
    expect(page(tableOf(1, 2), { limit: 2 })).toEqual({
      rows: [
        { id: "1", seq: 1 },
        { id: "2", seq: 2 },
      ],
      limit: 2,
      prev: null,
      next: null,
      isBackwards: false,
    });
    expect(page(tableOf(), { limit: 2 })).toEqual({ rows: [], limit: 2, prev: null, next: null, isBackwards: false });
  });

  it("leads to the end and back again, with every row once", () => {
    const cases = fc.record({
      seqs: fc.uniqueArray(fc.integer({ min: 0, max: 1000 }), { maxLength: 30 }),
      limit: fc.integer({ min: 1, max: 7 }),
      newestFirst: fc.boolean(),
      onlyEven: fc.boolean(),
    });
    fc.assert(
      fc.property(cases, ({ seqs, limit, newestFirst, onlyEven }) => {
        const table = tableOf(...seqs);
        const where = onlyEven ? (row: Row) => row.seq % 2 === 0 : undefined;
        const request = { limit, newestFirst, where };
        const expected = seqs.filter((seq) => !onlyEven || seq % 2 === 0).sort((a, b) => (newestFirst ? b - a : a - b));

        const forwards = walk(table, page(table, request), "next", request);
        expect(forwards.flatMap(seqsOf)).toEqual(expected);
        expect(forwards.slice(0, -1).every(({ rows }) => rows.length === limit)).toBe(true);
        expect(forwards[0]?.prev).toBeNull();

        const backwards = walk(table, forwards.at(-1)!, "prev", request);
        expect(backwards.toReversed().flatMap(seqsOf)).toEqual(expected);
      }),
    );
  });

  it("repeats and skips no row while rows are added and removed", () => {
    const table = tableOf(10, 20, 30, 40, 50);
    const first = page(table, { limit: 2 });
    table.delete("20");
    table.set({ id: "60", seq: 60 });
    const second = page(table, { limit: 2, cursor: first.next ?? "" });
    expect(seqsOf(second)).toEqual([30, 40]);
    expect(seqsOf(page(table, { limit: 2, cursor: second.next ?? "" }))).toEqual([50, 60]);
    expect(seqsOf(page(table, { limit: 2, cursor: second.prev ?? "" }))).toEqual([10]);
  });

  it.each([false, true])("leads back from a page whose rows were removed (newest first: %s)", (newestFirst) => {
    const table = tableOf(1, 2, 3, 4);
    const [last = 0, secondLast = 0, second = 0, first = 0] = newestFirst ? [1, 2, 3, 4] : [4, 3, 2, 1];
    const top = page(table, { limit: 2, newestFirst });
    const bottom = page(table, { limit: 2, newestFirst, cursor: top.next ?? "" });
    table.delete(String(last));
    table.delete(String(secondLast));
    const emptied = page(table, { limit: 2, newestFirst, cursor: top.next ?? "" });
    expect(emptied).toMatchObject({ rows: [], next: null });
    expect(seqsOf(page(table, { limit: 2, newestFirst, cursor: emptied.prev ?? "" }))).toEqual([first, second]);

    for (const seq of [last, secondLast]) table.set({ id: String(seq), seq });
    for (const seq of [first, second]) table.delete(String(seq));
    const emptiedTop = page(table, { limit: 2, newestFirst, cursor: bottom.prev ?? "" });
    expect(emptiedTop).toMatchObject({ rows: [], prev: null });
    expect(seqsOf(page(table, { limit: 2, newestFirst, cursor: emptiedTop.next ?? "" }))).toEqual([secondLast, last]);

    for (const seq of [last, secondLast]) table.delete(String(seq));
    expect(page(table, { limit: 2, newestFirst, cursor: top.next ?? "" })).toMatchObject({ prev: null, next: null });
  });

  it.each(["", "x", "next:1", "bmV4dDo", "bmV4dDox=", "YWZ0ZXI6MQ", "bmV4dDotMQ", "bmV4dDoxLjU", "bmV4dDoxZTU", "💥"])(
    "refuses %j as a cursor",
    (cursor) => {
      expect(isCursor(cursor)).toBe(false);
      expect(listPage(tableOf(1), { limit: 1, cursor })).toBeUndefined();
    },
  );
});
