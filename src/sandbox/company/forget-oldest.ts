import type { Row, Table } from "../../kernel/records/table.js";
import type { Work } from "../../domain/model/work.js";

export interface ForgetOptions<T extends Row> {
  /** Which rows may be forgotten at `limit`. Default: all. The others are kept up to `most` rows. */
  readonly mayForget?: (row: T) => boolean;
  /** Default: no bound. */
  readonly most?: number;
  /** Called with the rows that are forgotten only because of `most`. */
  readonly onForced?: (work: Work, rows: readonly T[]) => void;
}

/**
 * Keeps a table that only grows within `limit` rows. The oldest are removed in batches, a sixteenth of the limit at a time.
 */
export function createForgetter<T extends Row>(
  table: Table<T>,
  limit: number,
  { mayForget = () => true, most = Number.POSITIVE_INFINITY, onForced }: ForgetOptions<T> = {},
): (work: Work) => void {
  const slack = limit >> 4;
  let bound = limit + slack;
  return (work) => {
    if (table.size <= bound) return;
    const { rows } = table.page({ limit: table.size - limit, where: mayForget });
    for (const { id } of rows) work.remove(table, id);
    if (table.size > most) {
      const oldest = table.page({ limit: table.size - most }).rows;
      for (const { id } of oldest) work.remove(table, id);
      onForced?.(work, oldest);
    }
    bound = Math.max(limit, table.size) + slack;
  };
}
