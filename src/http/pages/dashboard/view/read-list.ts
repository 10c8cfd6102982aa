import { isMsisdn, msisdnKey } from "../../../../domain/values/msisdn.js";
import type { Row, Table } from "../../../../kernel/records/table.js";
import { SEARCHED_MAX } from "../../../../kernel/messages/text.js";
import { plainId } from "../../../../domain/values/ids.js";

export const ROWS_SHOWN = 50;

/** The most rows that are read for one page: a search for something rare among very many rows continues on the next page. */
export const ROWS_READ_MAX = 10_000;

/**
 * One page of the rows that match, newest first. `older` is where the next page begins (its `before`), undefined at the end. Any other text as
 * `before` means the newest rows. `isCut` means that reading stopped before the page was full, and the next page continues.
 */
export function readList<T extends Row>(
  table: Pick<Table<T>, "page">,
  before: string = "",
  where?: (row: T) => boolean,
) {
  const beyond = /^\d{1,15}$/.test(before) ? Number(before) : undefined;
  const limit = where === undefined ? ROWS_SHOWN : ROWS_READ_MAX;
  const read = table.page({ limit, beyond, newestFirst: true });
  const found = where === undefined ? read.rows : read.rows.filter(where);
  const rows = found.slice(0, ROWS_SHOWN);
  if (found.length > ROWS_SHOWN) return { rows, older: rows.at(-1)?.seq, isCut: false };
  return { rows, older: read.more ? read.rows.at(-1)?.seq : undefined, isCut: where !== undefined && read.more };
}

/** Whether one of the texts contains the searched text (of a long one, its start), or is the searched phone number in any notation. */
export function createMatcher(searched: string): (texts: readonly string[]) => boolean {
  const needle = plainId(searched).toLowerCase().slice(0, SEARCHED_MAX);
  const digits = isMsisdn(searched) ? msisdnKey(searched) : undefined;
  return (texts) =>
    texts.some(
      (text) =>
        text.toLowerCase().includes(needle) || (digits !== undefined && isMsisdn(text) && msisdnKey(text) === digits),
    );
}
