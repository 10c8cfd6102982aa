import type { PackedRing } from "../../kernel/packed-ring.js";
import type { PageRequest, Table } from "../../kernel/table.js";
import type { JournalEntry } from "./journal.js";
import { idOf, PackedEntry } from "./packed-entry.js";

export type JournalEntries = Pick<Table<JournalEntry>, "page" | "values" | "get" | "size">;

/** The journal's rows, as a table shows its own. Each is unpacked for who looks at it, and stays as it was then. */
export class PackedEntries implements JournalEntries {
  readonly #ring: PackedRing;
  readonly #lastSeq: () => number;

  /** `lastSeq`: of the newest row. Those before it have the numbers before that. */
  constructor(ring: PackedRing, lastSeq: () => number) {
    this.#ring = ring;
    this.#lastSeq = lastSeq;
  }

  get size(): number {
    return this.#ring.size;
  }

  get(id: string): JournalEntry | undefined {
    const seq = Number(id.slice(id.indexOf("_") + 1));
    return Number.isInteger(seq) && idOf(seq) === id ? this.#at(seq - this.#firstSeq) : undefined;
  }

  values(): readonly JournalEntry[] {
    return this.page({ limit: this.size }).rows;
  }

  page({ limit, beyond, newestFirst = false, where }: PageRequest<JournalEntry>): {
    rows: JournalEntry[];
    more: boolean;
  } {
    const step = newestFirst ? -1 : 1;
    const from = beyond === undefined ? undefined : beyond + step - this.#firstSeq;
    const rows: JournalEntry[] = [];
    let index = newestFirst ? Math.min(from ?? Infinity, this.size - 1) : Math.max(from ?? 0, 0);
    for (let entry = this.#at(index); entry !== undefined; entry = this.#at((index += step))) {
      if (where !== undefined && !where(entry)) continue;
      if (rows.length === limit) return { rows, more: true };
      rows.push(entry);
    }
    return { rows, more: false };
  }

  get #firstSeq(): number {
    return this.#lastSeq() - this.size + 1;
  }

  #at(index: number): JournalEntry | undefined {
    if (index < 0 || index >= this.size) return undefined;
    return new PackedEntry(this.#ring, index, this.#firstSeq + index);
  }
}
