import type { Row, RowStore } from "./table.js";

/** One record before and after a change. `before` is undefined for a new record, `after` for a removed one. */
export interface Change<T extends Row = Row> {
  readonly store: RowStore<T>;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** Whether the change was made in this store. */
export function isChangeOf<T extends Row>(store: RowStore<T>, change: Change): change is Change<T> {
  return change.store === store;
}

/**
 * Collects the changes of one operation, and keeps all or none of them. The operation itself reads what it wrote. Nothing else does before the commit,
 * because nothing awaits between the first read and `commit`.
 */
export class UnitOfWork {
  readonly #changes: Change[] = [];

  put<T extends Row>(store: RowStore<T>, row: T): T {
    this.#changes.push({ store, before: store.set(row), after: row });
    return row;
  }

  remove<T extends Row>(store: RowStore<T>, id: string): void {
    const before = store.get(id);
    if (before === undefined) return;
    this.#changes.push({ store, before, after: undefined });
    store.delete(id);
  }

  /** All changes, oldest first: the write set for the journal. */
  commit(): readonly Change[] {
    return this.#changes;
  }

  /** Undoes every change, newest first. */
  rollback(): void {
    for (const { store, before, after } of this.#changes.reverse()) {
      if (before !== undefined) store.set(before);
      else if (after !== undefined) store.delete(after.id);
    }
    this.#changes.length = 0;
  }
}
