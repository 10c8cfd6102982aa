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

/** Due items by id and in a binary heap: earliest first, equal instants in the order in which they were scheduled. */
export class DueQueue<Kind extends string> implements RowStore<DueItem<Kind>> {
  readonly name = "due";
  readonly #items = new Map<string, DueItem<Kind>>();
  /** Deleted items stay until they are at the top, or are many. */
  #heap: DueItem<Kind>[] = [];

  get size(): number {
    return this.#items.size;
  }

  get(id: string): DueItem<Kind> | undefined {
    return this.#items.get(id);
  }

  set(item: DueItem<Kind>): DueItem<Kind> | undefined {
    const before = this.#items.get(item.id);
    this.#items.set(item.id, item);
    this.#push(item);
    return before;
  }

  delete(id: string): void {
    this.#items.delete(id);
    // A sorted array is a heap.
    if (this.#heap.length > 64 && this.#heap.length > 2 * this.size) this.#heap = this.values();
  }

  peek(): DueItem<Kind> | undefined {
    for (let top = this.#heap[0]; top !== undefined; top = this.#heap[0]) {
      if (this.#items.get(top.id) === top) return top;
      this.#pop();
    }
    return undefined;
  }

  /** Earliest first. */
  values(): DueItem<Kind>[] {
    return [...this.#items.values()].sort(byDueThenSeq);
  }

  #push(item: DueItem<Kind>): void {
    const heap = this.#heap;
    let at = heap.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (byDueThenSeq(heap[parent]!, item) <= 0) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = item;
  }

  #pop(): void {
    const heap = this.#heap;
    const item = heap.pop();
    if (item === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child + 1 < heap.length && byDueThenSeq(heap[child + 1]!, heap[child]!) < 0) child++;
      if (child >= heap.length || byDueThenSeq(item, heap[child]!) <= 0) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = item;
  }
}

export function byDueThenSeq(a: DueItem, b: DueItem): number {
  return a.dueAt - b.dueAt || a.seq - b.seq;
}
