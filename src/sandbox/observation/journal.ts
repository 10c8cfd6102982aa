import { PackedRing, type PackedText } from "../../kernel/packed-ring.js";
import type { PageRequest, Row, Table } from "../../kernel/table.js";
import { type OperationId, operations } from "../../contract/operations.js";
import { statusOfProblem } from "../../contract/problems.js";
import type { ProblemCode } from "../../domain/model/problem-codes.js";
import { type RequestFault, requestFaults } from "../../domain/model/rule.js";
import type { Instant } from "../../kernel/instant.js";
import { LastMade } from "../../kernel/last-made.js";
import type { AnswerFate, Exchange } from "../company/exchange.js";
import type { EventSubject } from "../../domain/model/events.js";

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

/** The numbers of an entry, by their columns. */
export const AT = 0;
const RECEIVED_AT = 1;
const FROM = 2;
const TO = 3;
const STATUS = 4;
/** Whether the client never read the answer: 1. */
export const LOST = 5;
/** Which of the faults, from 1 on; 0 is none. */
const FAULT = 6;
/** How many deliveries its work came to owe: mostly none, and every reader of the journal asks. */
const OWED = 7;
export const COLUMNS = 8;

/** Lines before that of the body, which may be of several itself. Neither what HTTP calls a header nor JSON on one line has a line break in it. */
const HEAD_LINES = 12;
/** Between a header's name, its value, and the next one's name. No header has it. */
const NUL = "\0";

export function packNumbers({ at, receivedAt, made, status, fault, owed }: JournalEntry): readonly number[] {
  const which = fault === undefined ? 0 : requestFaults.indexOf(fault) + 1;
  return [at, receivedAt, made.from, made.to, status, 0, which, owed.length];
}

/** The headers of rows, as each has them. A client sends the same again and again. */
export type PackedHeaders = LastMade<string, string>;

export function createPackedHeaders(): PackedHeaders {
  return new LastMade(packHeaders);
}

function packHeaders(headers: Readonly<Record<string, string>>): string {
  let fields = "";
  for (const name in headers) fields += `${name}${NUL}${headers[name]}${NUL}`;
  return fields;
}

/** `exchange`: what `entry` was made of. Written as one text, since to join many takes less than to write each. */
export function packText(entry: JournalEntry, { bodyText, answerText }: Exchange, headers: PackedHeaders): string {
  const { method, path, operation = "", problem = "", retryAfter = "", rule } = entry;
  const named = rule === undefined ? "" : JSON.stringify(rule.name);
  const settings = entry.settings.join(" ");
  const owed = entry.owed.length === 0 ? "" : entry.owed.join(" ");
  const created = entry.created.length === 0 ? "" : entry.created.join(" ");
  const fields = headers.of(entry.headers);
  const answer = answerText ?? jsonOf(entry.answer);
  const body = bodyText ?? jsonOf(entry.body);
  return `${method}\n${path}\n${operation}\n${problem}\n${retryAfter}\n${rule?.id ?? ""}\n${named}\n${settings}\n${owed}\n${created}\n${fields}\n${answer}\n${body}`;
}

/** Nothing is no text. */
function jsonOf(value: unknown): string {
  return value === undefined ? "" : JSON.stringify(value);
}

/** An entry of the journal as it was when it was looked up. What few ask for is read when they do. */
export class PackedEntry implements JournalEntry {
  readonly seq: number;
  readonly at: Instant;
  readonly receivedAt: number;
  readonly made: Exchange["made"];
  readonly status: number;
  readonly fate: AnswerFate;
  readonly fault: RequestFault | undefined;
  readonly #owed: number;
  readonly #packed: PackedText;
  #text: string | undefined;
  #head: readonly string[] | undefined;
  #body: Parsed | undefined;
  #answer: Parsed | undefined;

  constructor(ring: PackedRing, index: number, seq: number) {
    this.seq = seq;
    this.at = ring.number(index, AT);
    this.receivedAt = ring.number(index, RECEIVED_AT);
    this.made = { from: ring.number(index, FROM), to: ring.number(index, TO) };
    this.status = ring.number(index, STATUS);
    this.fate = ring.number(index, LOST) === 1 ? "lost" : "written";
    this.fault = requestFaults[ring.number(index, FAULT) - 1];
    this.#owed = ring.number(index, OWED);
    this.#packed = ring.text(index);
  }

  get id(): string {
    return idOf(this.seq);
  }

  get method(): string {
    return this.#line(0);
  }

  get path(): string {
    return this.#line(1);
  }

  get operation(): OperationId | undefined {
    const name = this.#line(2);
    return isOperation(name) ? name : undefined;
  }

  get problem(): ProblemCode | undefined {
    const code = this.#line(3);
    return isProblem(code) ? code : undefined;
  }

  get retryAfter(): string | undefined {
    return this.#line(4) || undefined;
  }

  get rule(): Exchange["rule"] {
    const id = this.#line(5);
    if (id === "") return undefined;
    const name: unknown = JSON.parse(this.#line(6));
    return { id, name: typeof name === "string" ? name : null };
  }

  get settings(): readonly string[] {
    return wordsOf(this.#line(7));
  }

  get owed(): readonly string[] {
    return this.#owed === 0 ? [] : wordsOf(this.#line(8));
  }

  get created(): readonly string[] {
    return wordsOf(this.#line(9));
  }

  get headers(): Readonly<Record<string, string>> {
    const fields = this.#line(10).split(NUL);
    const pairs: [string, string][] = [];
    for (let at = 0; at + 1 < fields.length; at += 2) pairs.push([fields[at] ?? "", fields[at + 1] ?? ""]);
    return Object.fromEntries(pairs);
  }

  get answer(): unknown {
    this.#answer ??= parse(this.#line(11));
    return this.#answer.value;
  }

  get body(): unknown {
    this.#body ??= parse(this.bodyText ?? "");
    return this.#body.value;
  }

  get bodyText(): string | undefined {
    return this.#whole.slice(this.#lines.reduce((length, line) => length + line.length + 1, 0)) || undefined;
  }

  get #lines(): readonly string[] {
    this.#head ??= this.#whole.split("\n", HEAD_LINES);
    return this.#head;
  }

  get #whole(): string {
    this.#text ??= this.#packed.read();
    return this.#text;
  }

  #line(index: number): string {
    return this.#lines[index] ?? "";
  }
}

/** What was read of a text, which may be that there is nothing. */
interface Parsed {
  readonly value: unknown;
}

function parse(json: string): Parsed {
  return { value: json === "" ? undefined : (JSON.parse(json) as unknown) };
}

/** "`req_1`, `req_2` and so on" */
export function idOf(seq: number): string {
  return `req_${seq}`;
}

function wordsOf(line: string): readonly string[] {
  return line === "" ? [] : line.split(" ");
}

function isOperation(name: string): name is OperationId {
  return Object.hasOwn(operations, name);
}

function isProblem(code: string): code is ProblemCode {
  return Object.hasOwn(statusOfProblem, code);
}

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
