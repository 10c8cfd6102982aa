import type { Exchange } from "../company/exchange.js";
import { Findings, type FindingsDeps } from "./findings.js";
import { Journal, type JournalEntry, type Recorded } from "./journal.js";
import type { Attempt, Delivery } from "../../domain/model/delivery.js";

/** Watches what the client under test does. A bug in one is logged, and costs neither an answer nor what others see. */
export interface Observer {
  /** A request was answered. `entry` is in the journal, until it is the oldest of too many. */
  see(entry: JournalEntry, exchange: Exchange): void;
  /** It turned out that the client never read the answer to a request that was seen before. `entry` is as it stands since. */
  lost?(entry: JournalEntry): void;
  /** An attempt to deliver a webhook ended. `delivery` is as it stands since. */
  attempted?(attempt: Attempt, delivery: Delivery): void;
  /** The company was reset. */
  forget?(): void;
}

export interface ObservationLimits {
  /** Requests kept in the journal. */
  readonly requests: number;
}

export interface ObservationDeps extends Omit<FindingsDeps, "journal"> {
  readonly limits: ObservationLimits;
  readonly onBug: (error: unknown) => void;
}

/**
 * What the sandbox sees of one company's client. It is no part of the company's state: it stays when another state is put in its place. A reset
 * forgets the requests so far and what was found in them, but not what is about the client itself.
 */
export class Observation {
  readonly journal: Journal;
  readonly findings: Findings;
  readonly #observers: readonly Observer[];
  readonly #onBug: (error: unknown) => void;
  /** Real time. A request that came before belongs to what was forgotten then. */
  #since = Number.NEGATIVE_INFINITY;

  constructor({ limits, onBug, ...deps }: ObservationDeps) {
    this.journal = new Journal(limits.requests);
    this.findings = new Findings({ ...deps, journal: this.journal });
    this.#observers = [this.findings];
    this.#onBug = onBug;
  }

  /** Its place in the journal; undefined for what was forgotten before it was answered. */
  see(exchange: Exchange): Recorded | undefined {
    if (exchange.receivedAt < this.#since) return undefined;
    const entry = this.journal.record(exchange);
    this.#tell((observer) => observer.see(entry, exchange));
    exchange.onLost(() => this.#lose(entry));
    return entry;
  }

  /** An attempt to deliver a webhook ended. `delivery` is as it stands since. */
  attempted(attempt: Attempt, delivery: Delivery): void {
    this.#tell((observer) => observer.attempted?.(attempt, delivery));
  }

  /** `now`: real time, ms of the machine's monotonic clock. */
  reset(now: number): void {
    this.#since = now;
    this.journal.restart();
    this.#tell((observer) => observer.forget?.());
  }

  #lose(entry: Recorded): void {
    const lost = this.journal.lose(entry);
    if (lost !== undefined) this.#tell((observer) => observer.lost?.(lost));
  }

  #tell(what: (observer: Observer) => void): void {
    for (const observer of this.#observers) {
      try {
        what(observer);
      } catch (error) {
        this.#onBug(error);
      }
    }
  }
}
