import type { Work } from "../domain/work.js";
import type { Row, Table } from "../kernel/table.js";

/**
 * Keeps a table that only grows within `limit` rows, and the sixteenth of it beyond which the oldest are looked for: looking at every commit
 * would cost more than keeping them. Rows that may not go yet stay, however many they are.
 */
export function createForgetter<T extends Row>(
  table: Table<T>,
  limit: number,
  mayGo: (row: T) => boolean = () => true,
): (work: Work) => void {
  const slack = limit >> 4;
  let bound = limit + slack;
  return (work) => {
    if (table.size <= bound) return;
    const { rows } = table.page({ limit: table.size - limit, where: mayGo });
    for (const { id } of rows) work.remove(table, id);
    bound = Math.max(limit, table.size) + slack;
  };
}
