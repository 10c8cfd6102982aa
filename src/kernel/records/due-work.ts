import TinyQueue from "tinyqueue";
import type { Instant } from "../time/instant.js";
import type { Row, RowStore } from "./table.js";

/**
 * Work that waits for its instant. It is data, never a closure, so that it survives a restart, is part of snapshots, and can be shown
 * ("next: charge.expire at 10:00").
 */
export interface DueItem<Kind extends string = string> extends Row {
  readonly dueAt: Instant;
  readonly kind: Kind;
  /** The id of a charge, a transaction or a delivery. */
  readonly subject: string;
}

/** Due items by id and in a queue: earliest first, equal instants in the order in which they were scheduled. */
export class DueQueue<Kind extends string> implements RowStore<DueItem<Kind>> {
  readonly name = "due";
  readonly #items = new Map<string, DueItem<Kind>>();
  /** Deleted items stay until they are at the top, or are many. */
  #queue = new TinyQueue<DueItem<Kind>>([], byDueThenSeq);

  get size(): number {
    return this.#items.size;
  }

  get(id: string): DueItem<Kind> | undefined {
    return this.#items.get(id);
  }

  set(item: DueItem<Kind>): DueItem<Kind> | undefined {
    const before = this.#items.get(item.id);
    this.#items.set(item.id, item);
    this.#queue.push(item);
    return before;
  }

  delete(id: string): void {
    this.#items.delete(id);
    const { length } = this.#queue;
    if (length > 64 && length > 2 * this.size) this.#queue = new TinyQueue(this.values(), byDueThenSeq);
  }

  peek(): DueItem<Kind> | undefined {
    let first = this.#queue.peek();
    while (first !== undefined && this.#items.get(first.id) !== first) {
      this.#queue.pop();
      first = this.#queue.peek();
    }
    return first;
  }

  /** Earliest first. */
  values(): DueItem<Kind>[] {
    return [...this.#items.values()].sort(byDueThenSeq);
  }
}

export function byDueThenSeq(a: DueItem, b: DueItem): number {
  return a.dueAt - b.dueAt || a.seq - b.seq;
}
