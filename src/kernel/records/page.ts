import type { Row, Table } from "./table.js";

export interface Page<T> {
  readonly rows: readonly T[];
  readonly limit: number;
  /** Opaque; null at either end of the list. */
  readonly prev: string | null;
  readonly next: string | null;
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
  const cursor =
    request.cursor === undefined ? { direction: "next" as const, seq: undefined } : readCursor(request.cursor);
  if (cursor === undefined) return undefined;
  const backwards = cursor.direction === "prev";
  const found = table.page({ limit, beyond: cursor.seq, newestFirst: newestFirst !== backwards, where });
  const rows = backwards ? found.rows.reverse() : found.rows;
  const first = rows[0];
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return { rows, limit, ...wayBack(table, request, cursor) };
  const before = table.page({ limit: 1, beyond: first.seq, newestFirst: !newestFirst, where }).rows.length > 0;
  const after = table.page({ limit: 1, beyond: last.seq, newestFirst, where }).rows.length > 0;
  return {
    rows,
    limit,
    prev: before ? writeCursor("prev", first.seq) : null,
    next: after ? writeCursor("next", last.seq) : null,
  };
}

/** Whether a text is a valid cursor. */
export function isCursor(text: string): boolean {
  return readCursor(text) !== undefined;
}

/** The records of an empty page were removed: the other direction begins with the record at the page's edge, if there is one. */
function wayBack<T extends Row>(
  table: Pick<Table<T>, "page">,
  { newestFirst = false, where }: ListRequest<T>,
  { direction, seq }: { readonly direction: Cursor["direction"]; readonly seq: number | undefined },
): Pick<Page<T>, "prev" | "next"> {
  if (seq === undefined) return { prev: null, next: null };
  const backwards = direction === "prev";
  const beyond = seq + (newestFirst === backwards ? 1 : -1);
  const { rows } = table.page({ limit: 1, beyond, newestFirst: newestFirst === backwards, where });
  const cursor = rows.length === 0 ? null : writeCursor(backwards ? "next" : "prev", beyond);
  return backwards ? { prev: null, next: cursor } : { prev: cursor, next: null };
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
