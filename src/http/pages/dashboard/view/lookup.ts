import type { SystemClock } from "../../../../kernel/system-clock.js";
import type { Row, Table } from "../../../../kernel/table.js";

/** Rows that are read at a time. */
const SLICE = 5_000;

type Keyed<T extends Row> = Pick<Table<T>, "page" | "get" | "size">;

/**
 * Rows by a key that many of them share, such as the charge that they are about: the tables themselves have no such index, for no answer of the API needs
 * one. It is made when it is first asked, and from then on reads only what has come since. The key of a row must never change.
 */
export class Lookup<T extends Row> {
  readonly #table: Keyed<T>;
  readonly #keyOf: (row: T) => string | null;
  #ids = new Map<string, string[]>();
  /** How many ids it holds, of rows that were forgotten too. */
  #held = 0;
  #seen = -1;

  constructor(table: Keyed<T>, keyOf: (row: T) => string | null) {
    this.#table = table;
    this.#keyOf = keyOf;
  }

  /** Reads what has come since, and lets others have their turn in between: that may be very much at the first time. */
  async catchUp({ yieldToEventLoop }: Pick<SystemClock, "yieldToEventLoop">): Promise<void> {
    while (this.#readSlice()) await yieldToEventLoop();
  }

  /** As they are now, oldest first. */
  find(key: string): readonly T[] {
    while (this.#readSlice());
    return (this.#ids.get(key) ?? []).flatMap((id) => this.#table.get(id) ?? []);
  }

  /** Whether there is more to read. */
  #readSlice(): boolean {
    if (this.#held > 2 * this.#table.size + 1_000) this.#restart();
    const { rows, more } = this.#table.page({ beyond: this.#seen, limit: SLICE });
    for (const row of rows) this.#add(row);
    this.#seen = rows.at(-1)?.seq ?? this.#seen;
    return more;
  }

  #add(row: T): void {
    const key = this.#keyOf(row);
    if (key === null) return;
    this.#held++;
    const ids = this.#ids.get(key);
    if (ids === undefined) this.#ids.set(key, [row.id]);
    else ids.push(row.id);
  }

  #restart(): void {
    this.#ids = new Map();
    this.#held = 0;
    this.#seen = -1;
  }
}
