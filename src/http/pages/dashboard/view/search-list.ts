import type { Row, Table } from "../../../../kernel/table.js";
import type { Listed } from "../parts/pager.js";

export interface ListQuery<T> {
  readonly limit: number;
  /** As a {@link Searched} gave it; one that is none begins anew. */
  readonly cursor: string | undefined;
  /** Undefined: all. */
  readonly where: ((row: T) => boolean) | undefined;
}

/** One page of a list, newest first. */
export interface Searched<T> extends Listed<T> {
  /** How many rows were looked at. */
  readonly read: number;
  /** Whether it was given up before the page was full: the next one goes on. */
  readonly isCut: boolean;
}

/** For one page, no more rows are looked at: who looks for something rare in very many goes on with the next page. */
export const ROWS_READ_MAX = 10_000;

const SLICE = 500;

/** A page of the rows that fit. It costs the same whether the table has a thousand rows or a million. */
export function searchList<T extends Row>(table: Pick<Table<T>, "page">, query: ListQuery<T>): Searched<T> {
  const from = readCursor(query.cursor);
  const newestFirst = from?.direction !== "newer";
  const { rows, read, onward, isCut } = lookThrough(table, query, from?.seq, newestFirst);
  const back = from?.seq;
  if (newestFirst) return { rows, read, isCut, prev: cursorTo("newer", back, -1), next: cursorTo("older", onward, 0) };
  // The first page is the newest one, whatever has come since it was left.
  if (onward === undefined) return searchList(table, { ...query, cursor: undefined });
  return { rows: rows.reverse(), read, isCut, prev: cursorTo("newer", onward, 0), next: cursorTo("older", back, 1) };
}

/** Up to `limit` rows that fit, and the seq beyond which there may be more in that direction. */
function lookThrough<T extends Row>(
  table: Pick<Table<T>, "page">,
  { limit, where }: ListQuery<T>,
  from: number | undefined,
  newestFirst: boolean,
) {
  const rows: T[] = [];
  let beyond = from;
  let read = 0;
  for (let more = true; more;) {
    if (read >= ROWS_READ_MAX) return { rows, read, onward: beyond, isCut: true };
    const slice = table.page({ limit: where === undefined ? limit + 1 : SLICE, beyond, newestFirst });
    more = slice.more;
    for (const row of slice.rows) {
      read++;
      const fits = where === undefined || where(row);
      if (fits && rows.length === limit) return { rows, read, onward: rows.at(-1)?.seq, isCut: false };
      if (fits) rows.push(row);
      beyond = row.seq;
    }
  }
  return { rows, read, onward: undefined, isCut: false };
}

interface Cursor {
  readonly direction: "older" | "newer";
  readonly seq: number;
}

/** The row at the edge was beyond the last page, and belongs to the one on the way back. */
function cursorTo(direction: Cursor["direction"], seq: number | undefined, shift: number): string | null {
  return seq === undefined ? null : `${direction}-${seq + shift}`;
}

function readCursor(text: string | undefined): Cursor | undefined {
  const [, direction, seq] = /^(older|newer)-(\d{1,15})$/.exec(text ?? "") ?? [];
  return seq === undefined ? undefined : { direction: direction === "newer" ? "newer" : "older", seq: Number(seq) };
}
