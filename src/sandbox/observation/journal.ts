import type { EventSubject } from "../../domain/model/events.js";
import { PackedRing } from "../../kernel/packed-ring.js";
import type { Row, Table } from "../../kernel/table.js";
import type { AnswerFate, Exchange } from "../company/exchange.js";
import { type JournalEntries, PackedEntries } from "./packed-entries.js";
import { COLUMNS, createPackedHeaders, idOf, LOST, packNumbers, packText } from "./packed-entry.js";

/**
 * A request to the API under test and its answer, as they were: with credentials, so whoever shows one shows it through `redactorOf`. `id` is
 * `req_1`, `req_2` and so on, in the order in which the company's requests were answered.
 */
export interface JournalEntry extends Row, Omit<Exchange, "door" | "company" | "onLost" | "answerText"> {
  readonly fate: AnswerFate;
  /** The ids of the deliveries that its own work came to owe. */
  readonly owed: readonly string[];
  /** The ids of the charges and transactions that it made, without the prefix of the wire. */
  readonly created: readonly string[];
}

/** However few requests make them. */
export const JOURNAL_BYTES_MAX = 64 * 1024 * 1024;

/** An entry that was just made. */
export interface Recorded extends JournalEntry {
  /** Of the restarts so far: after another there may be another entry of the same id. */
  readonly restarts: number;
}

/** What one company was asked and answered, the oldest forgotten first. It is written on the way of every request, so it keeps bytes and no objects. */
export class Journal {
  readonly #ring = new PackedRing(COLUMNS);
  readonly #headers = createPackedHeaders();
  readonly #entriesMax: number;
  readonly #bytesMax: number;
  /** Of the newest entry, also when it was forgotten since. */
  #last = 0;
  #restarts = 0;
  readonly entries: JournalEntries = new PackedEntries(this.#ring, () => this.#last);

  constructor(entriesMax: number, bytesMax = JOURNAL_BYTES_MAX) {
    this.#entriesMax = entriesMax;
    this.#bytesMax = bytesMax;
  }

  /** Of the newest, also when it was forgotten since; 0 before the first. */
  get lastSeq(): number {
    return this.#last;
  }

  /** The entry as it was made, for those who look at it now: the journal does not hold it. */
  record(exchange: Exchange): Recorded {
    const { at, receivedAt, method, path, operation, headers, body, bodyText, status, answer, retryAfter } = exchange;
    const { problem, rule, fault, made, settings } = exchange;
    const seq = ++this.#last;
    // Written out: a spread of the exchange takes longer than all the rest.
    const entry: Recorded = {
      id: idOf(seq),
      seq,
      at,
      receivedAt,
      method,
      path,
      operation,
      headers,
      body,
      bodyText,
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
      restarts: this.#restarts,
    };
    const ring = this.#ring;
    ring.push(packText(entry, exchange, this.#headers), packNumbers(entry));
    while (ring.size > this.#entriesMax || (ring.bytes > this.#bytesMax && ring.size > 1)) ring.shift();
    return entry;
  }

  /** The client never read that answer. The entry as it is now; undefined when it was forgotten since. */
  lose({ id, seq, restarts }: Recorded): JournalEntry | undefined {
    const index = seq - this.#last + this.#ring.size - 1;
    if (restarts !== this.#restarts || index < 0) return undefined;
    this.#ring.setNumber(index, LOST, 1);
    return this.entries.get(id);
  }

  /** The next one's id goes on from the last. */
  clear(): void {
    this.#ring.clear();
  }

  /** As if nothing had ever been asked. */
  restart(): void {
    this.clear();
    this.#last = 0;
    this.#restarts++;
  }
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
