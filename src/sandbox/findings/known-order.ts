import type { JournalEntry } from "../observation/journal.js";
import { type Withdrawal, isLost } from "./detector.js";
import type { Order, OrderKind, Proof, Sent } from "./order-kind.js";

/** Longer after a 409 on the company's clock, a new reference is another order and not a reaction to the 409. */
const AFTER_CONFLICT_MS = 3_600_000;
/** The same after a lost or 5xx answer. */
const AFTER_LOSS_MS = 7 * 24 * 3_600_000;

/** One reference of an order, and whether the client can know its outcome. */
export class KnownOrder<O extends Order> {
  readonly order: O;
  /** The first request with this reference. */
  readonly sent: Sent;
  /** The reference that repeated this order, which was reported. */
  repeatedBy: string | undefined;
  /** Whether this order repeated another one, which was reported. */
  isRepetition = false;
  /** The oldest request of this order whose answer was lost or 5xx. */
  #unknown: Sent | undefined;
  /** The newest request of this order that was answered 409 because the order was done before. */
  #conflict: Sent | undefined;
  /** The request whose success the client read. */
  #answeredBy: string | undefined;
  /** Whether the client knows that the order was accepted, though not how it ended. */
  #isAccepted = false;

  constructor(order: O, entry: JournalEntry) {
    this.order = order;
    this.sent = lineOf(entry);
  }

  /** The key of the finding that it was repeated. */
  get key(): string {
    const references = [this.order.reference, this.repeatedBy ?? ""];
    // References may have spaces.
    return references.map((reference) => reference.replaceAll(/[% ]/g, encodeURIComponent)).join(" ");
  }

  /** Whether the service has or may have accepted the order. */
  get wasAccepted(): boolean {
    return this.#isAccepted || this.#answeredBy !== undefined || this.#unknown !== undefined;
  }

  /** The request whose answer left the outcome of the order open. */
  get leftOpenBy(): Sent | undefined {
    return this.#unknown ?? this.#conflict;
  }

  /** Ignores an answer that a fault broke off: `noteLoss` is called for it next. */
  noteAnswer(entry: JournalEntry, conflict: ReturnType<OrderKind<O>["conflictOf"]>): void {
    if (entry.fault !== undefined) return;
    if (entry.status < 300) this.#answeredBy ??= entry.id;
    else if (entry.status >= 500) this.#unknown ??= lineOf(entry);
    else if (conflict === "done") this.#conflict = lineOf(entry);
    else if (conflict === "settled") this.#unknown = undefined;
  }

  /** Returns whether this loss is why the client cannot know the outcome. */
  noteLoss(entry: JournalEntry): boolean {
    if (this.#answeredBy === entry.id) this.#answeredBy = undefined;
    if (this.#conflict?.id === entry.id) this.#conflict = undefined;
    if (this.#unknown === undefined || this.#unknown.id === entry.id) this.#unknown = lineOf(entry);
    return this.#unknown.id === entry.id;
  }

  noteProof(shows: Proof["shows"]): void {
    this.#isAccepted = true;
    if (shows === "outcome") this.#unknown = this.#conflict = undefined;
  }

  /** Whether a 409, a read or a webhook has shown that the order was done or accepted. Then another reference may stand for another order. */
  get isTaken(): boolean {
    return this.#conflict !== undefined || this.#isAccepted;
  }

  /** Whether the client cannot know the outcome of this order when it sends `again`. */
  isOpenFor({ sent: { id, at } }: KnownOrder<O>): boolean {
    const [unknown, conflict] = [this.#unknown, this.#conflict];
    if (this.repeatedBy !== undefined || unknown?.id === id || conflict?.id === id) return false;
    if (conflict !== undefined) return at - conflict.at < AFTER_CONFLICT_MS;
    return unknown !== undefined && this.#answeredBy === undefined && at - unknown.at < AFTER_LOSS_MS;
  }

  /** Withdraws the finding: later requests or webhooks have shown that these were two orders. */
  withdraw(): Withdrawal {
    const withdraws = this.key;
    this.repeatedBy = undefined;
    return { withdraws };
  }
}

/** An entry without its body and headers: thousands of those would fill the memory. */
export function lineOf({ id, method, path, status, fate, fault, receivedAt, at, enqueued }: JournalEntry): Sent {
  return { id, method, path, status, fate, fault, receivedAt, at, enqueued };
}

/** `whose answer was lost after the work was done` */
export function describeAnswer(sent: Sent, wasDone: boolean): string {
  const what = isLost(sent) ? "whose answer was lost" : `which was answered ${sent.status}`;
  if (sent.status === 409) return what;
  const work = wasDone ? "after the work was done" : "and was not done this time, which the client could not know";
  return `${what} ${work}`;
}
