import { type OperationId, operations } from "../../contract/operations.js";
import { statusOfProblem } from "../../contract/problems.js";
import type { ProblemCode } from "../../domain/model/problem-codes.js";
import { type RequestFault, requestFaults } from "../../domain/model/rule.js";
import type { Instant } from "../../kernel/instant.js";
import { LastMade } from "../../kernel/last-made.js";
import type { PackedRing, PackedText } from "../../kernel/packed-ring.js";
import type { AnswerFate, Exchange } from "../company/exchange.js";
import type { JournalEntry } from "./journal.js";

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
