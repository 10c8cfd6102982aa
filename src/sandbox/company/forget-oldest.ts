import type { Row, Table } from "../../kernel/table.js";
import type { Work } from "../../domain/model/work.js";

export interface Forgetting<T extends Row> {
  /** Default: all. Others stay until there are `most` of them. */
  readonly mayGo?: (row: T) => boolean;
  /** Rows that are kept at most, whether they may go or not. Default: as many as there are. */
  readonly most?: number;
  /** Takes back those that go though they may not yet. */
  readonly giveUp?: (work: Work, rows: readonly T[]) => void;
}

/**
 * Keeps a table that only grows within `limit` rows, and the sixteenth of it beyond which the oldest are looked for: looking at every commit
 * would cost more than keeping them.
 */
export function createForgetter<T extends Row>(
  table: Table<T>,
  limit: number,
  { mayGo = () => true, most = Number.POSITIVE_INFINITY, giveUp }: Forgetting<T> = {},
): (work: Work) => void {
  const slack = limit >> 4;
  let bound = limit + slack;
  return (work) => {
    if (table.size <= bound) return;
    const { rows } = table.page({ limit: table.size - limit, where: mayGo });
    for (const { id } of rows) work.remove(table, id);
    if (table.size > most) {
      const oldest = table.page({ limit: table.size - most }).rows;
      for (const { id } of oldest) work.remove(table, id);
      giveUp?.(work, oldest);
    }
    bound = Math.max(limit, table.size) + slack;
  };
}
