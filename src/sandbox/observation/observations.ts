import type { Exchange } from "../company/exchange.js";
import { Findings, type FindingsDeps } from "./findings.js";
import { Journal, type JournalEntry, type Recorded } from "./journal.js";
import type { Attempt, Delivery } from "../../domain/model/delivery.js";
import type { Company } from "../company/company.js";
import type { EventEmitter } from "../../kernel/events.js";
import type { Log } from "../../kernel/log.js";
import { UsageError } from "../../kernel/problem.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import type { CompanyEvents } from "../company/company-events.js";
import type { Finding } from "./finding.js";
import type { Redactor } from "./redact.js";

interface ObservedEvents extends Pick<CompanyEvents, "attempted"> {
  readonly finding: { readonly companyId: string; readonly finding: Finding };
}

/** The sandbox, as far as it is needed here. */
export interface Observed {
  readonly options: { readonly limits: ObservationLimits };
  readonly log: Log;
  readonly system: SystemClock;
  readonly events: EventEmitter<ObservedEvents>;
  readonly redactor: Redactor;
  findCompany(companyId: string): Company | undefined;
}

/** What the sandbox sees of each company's client. */
export class Observations {
  readonly #byCompany = new Map<string, Observation>();
  readonly #sandbox: Observed;

  constructor(sandbox: Observed) {
    this.#sandbox = sandbox;
    sandbox.events.on("attempted", ({ company, attempt, delivery }) => {
      this.#byCompany.get(company.id)?.attempted(attempt, delivery);
    });
  }

  /** Throws UsageError("not-found") when there is no such company. */
  of(companyId: string): Observation {
    const found = this.#byCompany.get(companyId);
    if (found === undefined) throw new UsageError("not-found", `There is no company "${companyId}".`);
    return found;
  }

  /** A company begins; what was seen of it before goes on. */
  open(companyId: string, before?: Observation): void {
    this.#byCompany.set(companyId, before ?? this.#create(companyId));
  }

  /** A company is gone: what its client does now is seen by nobody. */
  remove(companyId: string): void {
    this.#byCompany.delete(companyId);
  }

  see(companyId: string, exchange: Exchange): JournalEntry | undefined {
    return this.#byCompany.get(companyId)?.see(exchange);
  }

  #create(companyId: string): Observation {
    const sandbox = this.#sandbox;
    return new Observation({
      limits: sandbox.options.limits,
      system: sandbox.system,
      redactor: sandbox.redactor,
      company: () => sandbox.findCompany(companyId),
      onBug: (error) => this.#logBug(companyId, error),
      onFinding: (finding) => sandbox.events.emit("finding", { companyId, finding }),
    });
  }

  #logBug(company: string, error: unknown): void {
    this.#sandbox.log.write("error", "bug", { company, error: error instanceof Error ? error.stack : String(error) });
  }
}

export interface Companies {
  readonly companies: readonly Company[];
  /** There is one when there is any company. */
  readonly defaultCompany: Company;
  findCompany(id: string): Company | undefined;
}

/** "A request with an unknown token is counted to the company of its `X-Company-Id`, else to the first." Undefined when there is no company left. */
export function accountFor({ company, headers }: Exchange, among: Companies): string | undefined {
  if (company !== undefined) return company.id;
  const named = headers["x-company-id"];
  const found = named === undefined ? undefined : among.findCompany(named);
  if (found !== undefined) return found.id;
  return among.companies.length === 0 ? undefined : among.defaultCompany.id;
}

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
