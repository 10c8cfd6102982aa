import type { Instant } from "./instant.js";
import type { Row, RowStore } from "./table.js";

/**
 * Work that waits for its instant. Data, never a closure: so it survives a restart, goes into snapshots, and can be shown
 * ("next: charge.expire at 10:00").
 */
export interface DueItem<Kind extends string = string> extends Row {
  readonly dueAt: Instant;
  readonly kind: Kind;
  /** The id of what the work is about: a charge, a transaction, a delivery. */
  readonly subject: string;
}

/**
 * Due items, earliest first; equal instants in the order in which they were scheduled, with look-up by id. What is scheduled behind all the others stands in
 * a line, as most is: charges live for as long as each other. The rest is in a binary heap.
 */
export class DueQueue<Kind extends string> implements RowStore<DueItem<Kind>> {
  readonly name = "due";
  readonly #items = new Map<string, DueItem<Kind>>();
  /** In order, from `#head` on. Like the heap it may hold items that were deleted since; they are dropped when they come to be the first. */
  #line: DueItem<Kind>[] = [];
  #head = 0;
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
    const last = this.#line.at(-1);
    if (last === undefined || byDueThenSeq(last, item) < 0) {
      this.#line.push(item);
    } else {
      this.#heap.push(item);
      this.#rise(this.#heap.length - 1);
    }
    return before;
  }

  delete(id: string): void {
    this.#items.delete(id);
    const held = this.#line.length - this.#head + this.#heap.length;
    if (held > 64 && held > 2 * this.#items.size) this.#rebuild();
  }

  peek(): DueItem<Kind> | undefined {
    const inLine = this.#firstInLine();
    const inHeap = this.#topOfHeap();
    if (inLine === undefined || inHeap === undefined) return inLine ?? inHeap;
    return byDueThenSeq(inLine, inHeap) <= 0 ? inLine : inHeap;
  }

  /** The first few of them, earliest first, without putting all the others in order. */
  soonest(count: number): DueItem<Kind>[] {
    // What was taken back as it was may stand there twice.
    const found = new Set([...this.#soonestInLine(count), ...this.#soonestInHeap(count)]);
    return [...found].sort(byDueThenSeq).slice(0, count);
  }

  /** Earliest first. */
  values(): DueItem<Kind>[] {
    return [...this.#items.values()].sort(byDueThenSeq);
  }

  #isLive(item: DueItem<Kind>): boolean {
    return this.#items.get(item.id) === item;
  }

  #rebuild(): void {
    this.#line = this.values();
    this.#head = 0;
    this.#heap = [];
  }

  #firstInLine(): DueItem<Kind> | undefined {
    for (; this.#head < this.#line.length; this.#head++) {
      const first = this.#line[this.#head]!;
      if (this.#isLive(first)) return first;
      // Those that are over are let go of together.
      if (this.#head >= 1024 && this.#head > this.#line.length / 2) this.#closeUp();
    }
    if (this.#line.length > 0) this.#closeUp();
    return undefined;
  }

  #closeUp(): void {
    this.#line = this.#line.slice(this.#head);
    this.#head = 0;
  }

  #topOfHeap(): DueItem<Kind> | undefined {
    for (let top = this.#heap[0]; top !== undefined; top = this.#heap[0]) {
      if (this.#isLive(top)) return top;
      this.#dropTop();
    }
    return undefined;
  }

  #soonestInLine(count: number): DueItem<Kind>[] {
    const found: DueItem<Kind>[] = [];
    for (let at = this.#head; at < this.#line.length && found.length < count; at++) {
      const item = this.#line[at]!;
      if (this.#isLive(item)) found.push(item);
    }
    return found;
  }

  #soonestInHeap(count: number): DueItem<Kind>[] {
    const found: DueItem<Kind>[] = [];
    // The places whose item may be the next: an item comes after the one above it in the heap.
    const places = this.#heap.length === 0 ? [] : [0];
    const itemAt = (place: number): DueItem<Kind> => this.#heap[place]!;
    while (found.length < count && places.length > 0) {
      const place = places.reduce((a, b) => (byDueThenSeq(itemAt(a), itemAt(b)) <= 0 ? a : b));
      const below = [2 * place + 1, 2 * place + 2].filter((other) => other < this.#heap.length);
      places.splice(places.indexOf(place), 1, ...below);
      const item = itemAt(place);
      if (this.#isLive(item) && found.at(-1) !== item) found.push(item);
    }
    return found;
  }

  #dropTop(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  #rise(start: number): void {
    const heap = this.#heap;
    let at = start;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!this.#swapIfBefore(heap, at, parent)) return;
      at = parent;
    }
  }

  #sink(start: number): void {
    const heap = this.#heap;
    for (let at = start; ;) {
      const left = 2 * at + 1;
      if (left >= heap.length) return;
      const right = left + 1;
      const child = right < heap.length && byDueThenSeq(heap[right]!, heap[left]!) < 0 ? right : left;
      if (!this.#swapIfBefore(heap, child, at)) return;
      at = child;
    }
  }

  #swapIfBefore(heap: DueItem<Kind>[], lower: number, upper: number): boolean {
    const a = heap[lower]!;
    const b = heap[upper]!;
    if (byDueThenSeq(a, b) >= 0) return false;
    heap[lower] = b;
    heap[upper] = a;
    return true;
  }
}

export function byDueThenSeq(a: DueItem, b: DueItem): number {
  return a.dueAt - b.dueAt || a.seq - b.seq;
}
