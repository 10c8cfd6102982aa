import type { EventSubject } from "../../domain/events.js";
import { type Row, Table } from "../../kernel/table.js";
import type { AnswerFate, Exchange } from "../exchange.js";

/**
 * A request to the API under test and its answer, as they were: with credentials, so whoever shows one shows it through `redactorOf`. `id` is
 * `req_1`, `req_2` and so on, in the order in which the company's requests were answered.
 */
export interface JournalEntry extends Row, Omit<Exchange, "door" | "company" | "onLost"> {
  readonly fate: AnswerFate;
  /** The ids of the deliveries that its own work came to owe. */
  readonly owed: readonly string[];
  /** The ids of the charges and transactions that it made, without the prefix of the wire. */
  readonly created: readonly string[];
}

/** However few requests make them. */
export const JOURNAL_BYTES_MAX = 64 * 1024 * 1024;

/** Of an entry beside its texts: the objects themselves. */
const ENTRY_BYTES = 512;
/** Of an object or a list, of a member beside its name, and of anything else. */
const CONTAINER_BYTES = 64;
const MEMBER_BYTES = 32;
const VALUE_BYTES = 16;

interface Kept extends JournalEntry {
  /** Roughly, in memory. */
  readonly bytes: number;
}

/** What one company was asked and answered, the oldest forgotten first. It is written on the way of every request: nothing is copied here. */
export class Journal {
  readonly #kept = new Table<Kept>("requests");
  readonly #entriesMax: number;
  readonly #bytesMax: number;
  #bytes = 0;
  /** Of what was forgotten and may still be held by the table. */
  #forgotten = 0;
  /** The entries' seqs are those from here up to `#last`. */
  #first = 1;
  #last = 0;

  constructor(entriesMax: number, bytesMax = JOURNAL_BYTES_MAX) {
    this.#entriesMax = entriesMax;
    this.#bytesMax = bytesMax;
  }

  get entries(): Pick<Table<JournalEntry>, "page" | "values" | "get" | "size"> {
    return this.#kept;
  }

  /** Of the newest, also when it was forgotten since; 0 before the first. */
  get lastSeq(): number {
    return this.#last;
  }

  record(exchange: Exchange): JournalEntry {
    const { at, receivedAt, method, path, operation, headers, body, status, answer, retryAfter } = exchange;
    const { problem, rule, fault, made, settings } = exchange;
    const seq = ++this.#last;
    // Written out: a spread of the exchange takes longer than all the rest.
    const entry: Kept = {
      id: idOf(seq),
      seq,
      at,
      receivedAt,
      method,
      path,
      operation,
      headers,
      body,
      status,
      answer,
      retryAfter,
      problem,
      rule,
      fault,
      made,
      settings,
      fate: "written",
      owed: owedBy(exchange),
      created: createdBy(exchange),
      bytes: ENTRY_BYTES + 2 * path.length + sizeOf(headers) + sizeOf(body) + sizeOf(answer),
    };
    this.#kept.set(entry);
    this.#bytes += entry.bytes;
    while (this.#kept.size > this.#entriesMax || (this.#bytes > this.#bytesMax && this.#kept.size > 1)) this.#forget();
    return entry;
  }

  /** The client never read that answer. The entry as it is now; undefined when it was forgotten since. */
  lose(entry: JournalEntry): JournalEntry | undefined {
    const kept = this.#kept.get(entry.id);
    // After a reset there may be another under the same id.
    if (kept === undefined || kept !== entry) return undefined;
    const lost: Kept = { ...kept, fate: "lost" };
    this.#kept.set(lost);
    return lost;
  }

  /** The next one's id goes on from the last. */
  clear(): void {
    while (this.#kept.size > 0) this.#forget();
  }

  /** As if nothing had ever been asked. */
  restart(): void {
    this.clear();
    this.#first = 1;
    this.#last = 0;
  }

  #forget(): void {
    const id = idOf(this.#first++);
    const bytes = this.#kept.get(id)?.bytes ?? 0;
    this.#bytes -= bytes;
    this.#forgotten += bytes;
    this.#kept.delete(id);
    if (this.#forgotten <= this.#bytesMax / 8) return;
    this.#kept.trim();
    this.#forgotten = 0;
  }
}

function idOf(seq: number): string {
  return `req_${seq}`;
}

const none: readonly string[] = [];

/** Noted at once: after another state was put in place of this one, the same seqs are those of other records. */
function owedBy({ company, made }: Exchange): readonly string[] {
  if (company === undefined || company.world.deliveries.size === 0) return none;
  return rowsWithin(company.world.deliveries, made).map(({ id }) => id);
}

function createdBy({ company, made }: Exchange): readonly string[] {
  if (company === undefined || made.to === made.from) return none;
  const created = new Set<string>();
  for (const { subject } of rowsWithin(company.world.events, made)) {
    const record = recordOf(subject);
    if (record !== undefined && isWithin(record, made)) created.add(record.id);
  }
  return [...created];
}

function recordOf(subject: EventSubject): Row | undefined {
  if (subject.kind === "charge") return subject.charge;
  return subject.kind === "transaction" ? subject.transaction : undefined;
}

function rowsWithin<T extends Row>(table: Pick<Table<T>, "page">, made: Exchange["made"]): readonly T[] {
  const limit = made.to - made.from;
  // Each record has a seq of its own, so there are no more of them than that.
  return limit <= 0 ? [] : table.page({ beyond: made.from, limit }).rows.filter((row) => isWithin(row, made));
}

function isWithin({ seq }: Row, { from, to }: Exchange["made"]): boolean {
  return seq > from && seq <= to;
}

/** Roughly what a JSON value takes, in bytes: enough to bound the sum of many. Without recursion: a body may be nested deeper than the stack. */
function sizeOf(value: unknown): number {
  if (!isContainer(value)) return sizeOfScalar(value);
  let size = 0;
  const left = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    size += CONTAINER_BYTES;
    const isList = Array.isArray(next);
    for (const name in next) {
      if (!isList) size += MEMBER_BYTES + name.length;
      const member = next[name];
      if (isContainer(member)) left.push(member);
      else size += sizeOfScalar(member);
    }
  }
  return size;
}

function sizeOfScalar(value: unknown): number {
  if (typeof value === "string") return VALUE_BYTES + 2 * value.length;
  return value === undefined ? 0 : VALUE_BYTES;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
