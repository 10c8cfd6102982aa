import { valueBytes } from "../../kernel/messages/json.js";
import { type PageRequest, pageOf, type Row, type Table } from "../../kernel/records/table.js";
import type { AnswerFate, Exchange } from "../company/exchange.js";
import type { DomainEvent, EventSubject } from "../../domain/model/events.js";
import type { World } from "../../domain/model/work.js";
import type { CompanyRecord } from "../state/company-record.js";

type Unkept = "turn" | "company" | "named" | "connection" | "onLost";

/**
 * A request to the API under test and its answer, with credentials: show it only through a redactor. `id` is `req_1`, `req_2` and so on, in the order
 * in which the company's requests were answered.
 */
export interface JournalEntry extends Row, Omit<Exchange, Unkept> {
  readonly fate: AnswerFate;
  /** The ids of the deliveries that the request itself enqueued, and not its later effects. */
  readonly enqueued: readonly string[];
  /** The ids of the charges and transactions that the request created, without the prefix that they have on the wire. */
  readonly created: readonly string[];
  /** How much of the journal's bound of bytes the entry uses. */
  readonly bytes: number;
}

/** The most bytes of all entries together, whatever their number. */
const JOURNAL_BYTES_MAX = 64 * 1024 * 1024;
/** The memory that an entry takes in addition to its texts. */
const ENTRY_BYTES = 300;
/** The memory that the id of a webhook or of a record takes. */
const ID_BYTES = 50;

/** The newest requests of one company. */
export class Journal {
  readonly #entriesMax: number;
  readonly #bytesMax: number;
  #entries: JournalEntry[] = [];
  #bytes = 0;
  #last = 0;
  #lastDropped = 0;

  constructor(entriesMax: number, bytesMax = JOURNAL_BYTES_MAX) {
    this.#entriesMax = entriesMax;
    this.#bytesMax = bytesMax;
  }

  readonly entries: Pick<Table<JournalEntry>, "page" | "values" | "get"> = {
    get: (id) => {
      const entry = this.#entries[this.#indexOf(seqOf(id))];
      return entry?.id === id ? entry : undefined;
    },
    values: () => [...this.#entries],
    page: (request: PageRequest<JournalEntry>) => pageOf(this.#entries, request),
  };

  /** The seq of the newest entry, even when it was forgotten since; 0 before the first. */
  get lastSeq(): number {
    return this.#last;
  }

  /** Whether the entry was dropped because of the bounds, or when the journal was cleared. */
  hasDropped(id: string): boolean {
    return seqOf(id) <= this.#lastDropped;
  }

  record(exchange: Exchange): JournalEntry {
    const { turn: _turn, company: _company, named: _named, connection: _connection, onLost: _, ...kept } = exchange;
    const seq = ++this.#last;
    const [enqueued, created] = [enqueuedBy(exchange), createdBy(exchange)];
    const entry: JournalEntry = {
      id: `req_${seq}`,
      seq,
      ...kept,
      fate: "written",
      enqueued,
      created,
      bytes: bytesOf(exchange) + ID_BYTES * (enqueued.length + created.length),
    };
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
    while (this.#entries.length > this.#entriesMax || (this.#bytes > this.#bytesMax && this.#entries.length > 1))
      this.#drop(this.#entries.shift());
    return entry;
  }

  /** Notes that the client never read the answer. Returns the entry as it is now; undefined when it was forgotten. */
  lose(entry: JournalEntry): JournalEntry | undefined {
    // After a restart another entry may have its id.
    if (this.entries.get(entry.id) !== entry) return undefined;
    const lost: JournalEntry = { ...entry, fate: "lost" };
    this.#entries[this.#indexOf(entry.seq)] = lost;
    return lost;
  }

  /** Forgets what requests made, unless the state that replaces `world` has it too: other records get the same seqs there. */
  forgetReplaced(world: World, next: Pick<CompanyRecord, "world" | "seq">): void {
    for (const entry of this.#entries) {
      const { to } = entry.made;
      if (to <= next.seq && newestUpTo(world, to) === newestUpTo(next.world, to)) continue;
      // In place, since an answer that is being written may still be lost.
      Object.assign(entry, { made: { from: 0, to: 0 } });
    }
  }

  /** Drops all entries. The ids of later ones continue from the last. */
  clear(): void {
    this.#entries = [];
    this.#bytes = 0;
    this.#lastDropped = this.#last;
  }

  /** Drops all entries. The ids of later ones begin again with `req_1`. */
  restart(): void {
    this.clear();
    this.#last = 0;
    this.#lastDropped = 0;
  }

  #drop(oldest: JournalEntry | undefined): void {
    this.#bytes -= oldest?.bytes ?? 0;
    this.#lastDropped = oldest?.seq ?? 0;
  }

  /** The seqs of the entries have no gaps. */
  #indexOf(seq: number): number {
    return seq - (this.#entries[0]?.seq ?? 0);
  }
}

/** The id of the newest event with at most this seq. */
function newestUpTo({ events }: World, seq: number): string | undefined {
  return events.page({ beyond: seq + 1, newestFirst: true, limit: 1 }).rows[0]?.id;
}

function seqOf(id: string): number {
  return Number(id.replace("req_", ""));
}

/** Counts values as well as text: a body of many small values takes far more memory than its text. */
function bytesOf({ path, headers, body, rawBody, answer, answerHeaders }: Exchange): number {
  const json = Buffer.from(JSON.stringify([path, headers, body, rawBody, answer, answerHeaders]));
  return ENTRY_BYTES + json.length + valueBytes(json);
}

function enqueuedBy({ company, made }: Exchange): readonly string[] {
  return company === undefined ? [] : rowsWithin(company.world.deliveries, made).map(({ id }) => id);
}

/** Call it when the request is answered: once the state was replaced, other records may have the same seqs. */
export function eventsMadeBy({ company, made }: Exchange): readonly DomainEvent[] {
  return company === undefined ? [] : rowsWithin(company.world.events, made);
}

function createdBy(exchange: Exchange): readonly string[] {
  const subjects = eventsMadeBy(exchange).map(({ subject }) => recordOf(subject));
  const created = subjects.filter((record) => record !== undefined && isWithin(record, exchange.made));
  return [...new Set(created.map((record) => record?.id ?? ""))];
}

function recordOf(subject: EventSubject): Row | undefined {
  if (subject.kind === "charge") return subject.charge;
  return subject.kind === "transaction" ? subject.transaction : undefined;
}

function rowsWithin<T extends Row>(table: Pick<Table<T>, "within">, { from, to }: Exchange["made"]): readonly T[] {
  return to === from ? [] : table.within(from, to);
}

function isWithin({ seq }: Row, { from, to }: Exchange["made"]): boolean {
  return seq > from && seq <= to;
}
