import { digitsOf, isMsisdn, msisdnKey } from "../../../../domain/values/msisdn.js";
import type { Row, Table } from "../../../../kernel/records/table.js";
import { plainId } from "../../../../domain/values/ids.js";

interface ListQuery<T> {
  readonly limit: number;
  /** From a {@link Listed}; any other text begins anew. */
  readonly cursor?: string | undefined;
  /** Undefined: all. */
  readonly where?: ((row: T) => boolean) | undefined;
  readonly oldestFirst?: boolean | undefined;
}

/** One page of a list. */
export interface Listed<T> {
  readonly rows: readonly T[];
  /** Cursors of the pages before and after. */
  readonly prev: string | null;
  readonly next: string | null;
  /** Whether reading stopped before the page was full: the next page goes on. */
  readonly isCut: boolean;
}

/** Rows read for one page: a search for something rare among very many rows goes on with the next page. */
export const ROWS_READ_MAX = 10_000;

/** One page of the rows that match. */
export function searchList<T extends Row>(table: Pick<Table<T>, "page">, query: ListQuery<T>): Listed<T> {
  const { oldestFirst = false } = query;
  const [, direction, seq] = /^(next|prev)-(\d{1,15})$/.exec(query.cursor ?? "") ?? [];
  const isBack = direction === "prev";
  const from = seq === undefined ? undefined : Number(seq);
  const newestFirst = oldestFirst === isBack;
  const { rows, onward, isCut } = read(table, query, from, newestFirst);
  // The row at the edge was beyond the last page, and belongs to the one on the way back.
  const edge = from === undefined ? undefined : from + (newestFirst ? -1 : 1);
  if (!isBack) return { rows, isCut, prev: cursorTo("prev", edge), next: cursorTo("next", onward) };
  // Nothing lies before these rows: this is the first page, with all rows that were added since.
  if (onward === undefined) return searchList(table, { ...query, cursor: undefined });
  return { rows: rows.reverse(), isCut, prev: cursorTo("prev", onward), next: cursorTo("next", edge) };
}

function cursorTo(direction: "next" | "prev", seq: number | undefined): string | null {
  return seq === undefined ? null : `${direction}-${Math.max(0, seq)}`;
}

/** Up to `limit` rows that match, and the seq beyond which there may be more. */
function read<T extends Row>(
  table: Pick<Table<T>, "page">,
  { limit, where }: ListQuery<T>,
  from: number | undefined,
  newestFirst: boolean,
) {
  const slice = table.page({ limit: where === undefined ? limit + 1 : ROWS_READ_MAX, beyond: from, newestFirst });
  const found = where === undefined ? slice.rows : slice.rows.filter(where);
  const rows = found.slice(0, limit);
  if (found.length > limit) return { rows, onward: rows.at(-1)?.seq, isCut: false };
  return { rows, onward: slice.more ? slice.rows.at(-1)?.seq : undefined, isCut: slice.more };
}

/** Whether one of the texts contains the searched text, or one of the phone numbers is the searched one, however it is written. */
export function createMatcher(searched: string): (texts: readonly string[], numbers?: readonly string[]) => boolean {
  const needle = plainId(searched).toLowerCase();
  const isNumber = /^\+?\d+$/.test(searched);
  const digits = isMsisdn(searched) ? msisdnKey(searched) : isNumber ? digitsOf(searched).replace("+", "") : undefined;
  return (texts, numbers = []) =>
    texts.some((text) => text.toLowerCase().includes(needle)) ||
    (digits !== undefined && numbers.some((number) => digitsOf(number).includes(digits)));
}
