import type { Row, Table } from "./table.js";

export interface Page<T> {
  readonly rows: readonly T[];
  readonly limit: number;
  /** Opaque cursors; null at the ends of the list. */
  readonly prev: string | null;
  readonly next: string | null;
  /** Whether it ends at its cursor: with a lower limit it has fewer of the first rows. */
  readonly isBackwards: boolean;
}

export interface ListRequest<T> {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly newestFirst?: boolean;
  readonly where?: ((row: T) => boolean) | undefined;
}

/**
 * One page of a table. A cursor names a place between two records, so that no record is repeated or skipped while others are added or
 * removed. Undefined when the cursor is invalid.
 */
export function listPage<T extends Row>(table: Pick<Table<T>, "page">, request: ListRequest<T>): Page<T> | undefined {
  const { limit, newestFirst = false, where } = request;
  const cursor = request.cursor === undefined ? undefined : readCursor(request.cursor);
  if (request.cursor !== undefined && cursor === undefined) return undefined;
  const isBackwards = cursor?.direction === "prev";
  const found = table.page({ limit, beyond: cursor?.seq, newestFirst: newestFirst !== isBackwards, where });
  const rows = isBackwards ? found.rows.reverse() : found.rows;
  // The records of an empty page were removed: the other direction begins with the record at the page's edge, if there is one.
  const step = newestFirst === isBackwards ? 1 : -1;
  const edge = (cursor?.seq ?? 0) + step;
  const first = rows[0]?.seq ?? edge;
  const last = rows.at(-1)?.seq ?? edge;
  const has = (beyond: number, newest: boolean) =>
    table.page({ limit: 1, beyond, newestFirst: newest, where }).rows.length > 0;
  return {
    rows,
    limit,
    prev: has(first, !newestFirst) ? writeCursor("prev", first) : null,
    next: has(last, newestFirst) ? writeCursor("next", last) : null,
    isBackwards,
  };
}

/** Whether a text is a valid cursor. */
export function isCursor(text: string): boolean {
  return readCursor(text) !== undefined;
}

interface Cursor {
  readonly direction: "next" | "prev";
  readonly seq: number;
}

function writeCursor(direction: Cursor["direction"], seq: number): string {
  return Buffer.from(`${direction}:${seq}`).toString("base64url");
}

function readCursor(text: string): Cursor | undefined {
  const parts = /^(next|prev):(\d{1,15})$/.exec(Buffer.from(text, "base64url").toString("utf8"));
  if (parts === null) return undefined;
  const cursor: Cursor = { direction: parts[1] === "prev" ? "prev" : "next", seq: Number(parts[2]) };
  return writeCursor(cursor.direction, cursor.seq) === text ? cursor : undefined;
}
