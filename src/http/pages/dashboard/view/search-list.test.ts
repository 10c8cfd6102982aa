import { describe, expect, it } from "vitest";
import { type PageRequest, type Row, Table } from "../../../../kernel/records/table.js";
import { ROWS_READ_MAX, searchList } from "./search-list.js";

function tableOf(count: number) {
  const table = new Table<Row>("rows");
  for (let seq = 1; seq <= count; seq++) table.set({ id: `r${seq}`, seq });
  let read = 0;
  const counted = {
    page(request: PageRequest<Row>) {
      const page = table.page(request);
      read += page.rows.length;
      return page;
    },
  };
  return { counted, read: () => read };
}

const seqs = (rows: readonly Row[]) => rows.map(({ seq }) => seq);
const even = ({ seq }: Row): boolean => seq % 2 === 0;

describe("searchList", () => {
  it.each([
    ["all rows", undefined, [10, 9, 8], [7, 6, 5], [4, 3, 2], [1]],
    ["matching rows", even, [10, 8, 6], [4, 2]],
  ])("shows %s page by page, newest first, and the way back", (_, where, ...pages) => {
    const { counted } = tableOf(10);
    const cursors: (string | undefined)[] = [];
    let cursor: string | undefined;
    for (const [index, page] of pages.entries()) {
      const list = searchList(counted, { limit: 3, cursor, where });
      expect(seqs(list.rows)).toEqual(page);
      expect(list.next === null).toBe(index === pages.length - 1);
      expect(list.prev === null).toBe(index === 0);
      cursors.push(cursor);
      cursor = index === pages.length - 1 ? (list.prev ?? undefined) : (list.next ?? undefined);
    }
    const before = searchList(counted, { limit: 3, cursor, where });
    expect(seqs(before.rows)).toEqual(pages.at(-2));
    expect(seqs(searchList(counted, { limit: 3, cursor: before.next ?? undefined, where }).rows)).toEqual(pages.at(-1));
  });

  it("reads one page of a hundred thousand rows", () => {
    const { counted, read } = tableOf(100_000);
    expect(seqs(searchList(counted, { limit: 25, cursor: undefined, where: undefined }).rows)).toHaveLength(25);
    expect(searchList(counted, { limit: 25, cursor: "next-50000", where: undefined }).rows[0]?.seq).toBe(49_999);
    expect(read()).toBe(2 * 26);
  });

  it("stops a search after a bounded number of rows, and goes on with the next page", () => {
    const { counted, read } = tableOf(100_000);
    const where = ({ seq }: Row): boolean => seq === 1;
    let cursor: string | undefined;
    for (let page = 1; page <= 10; page++) {
      const list = searchList(counted, { limit: 25, cursor, where });
      expect(list).toMatchObject({ rows: [], isCut: true });
      expect(read()).toBe(page * ROWS_READ_MAX);
      cursor = list.next ?? undefined;
      if (page === 9) break;
    }
    expect(seqs(searchList(counted, { limit: 25, cursor, where }).rows)).toEqual([1]);
  });

  it("shows the oldest first on request", () => {
    const { counted } = tableOf(5);
    const first = searchList(counted, { limit: 3, oldestFirst: true });
    expect(seqs(first.rows)).toEqual([1, 2, 3]);
    const second = searchList(counted, { limit: 3, oldestFirst: true, cursor: first.next ?? undefined });
    expect(seqs(second.rows)).toEqual([4, 5]);
    const back = searchList(counted, { limit: 3, oldestFirst: true, cursor: second.prev ?? undefined });
    expect(seqs(back.rows)).toEqual([1, 2, 3]);
  });

  it("starts again with an unknown cursor", () => {
    const { counted } = tableOf(10);
    for (const cursor of ["", "next-", "bmV4dDox", "prev-9999999999999999"])
      expect(seqs(searchList(counted, { limit: 2, cursor, where: undefined }).rows)).toEqual([10, 9]);
  });

  it("shows the first page when nothing newer is left on the way back", () => {
    const { counted } = tableOf(10);
    const list = searchList(counted, { limit: 3, cursor: "prev-9", where: undefined });
    expect(seqs(list.rows)).toEqual([10, 9, 8]);
    expect(list.prev).toBeNull();
  });
});
