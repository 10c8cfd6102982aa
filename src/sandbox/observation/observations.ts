import type { EventEmitter } from "../../kernel/events.js";
import type { Log } from "../../kernel/log.js";
import { UsageError } from "../../kernel/messages/problem.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import type { Company } from "../company/company.js";
import type { CompanyEvents } from "../company/company-deps.js";
import type { Exchange } from "../company/exchange.js";
import type { Finding } from "./finding.js";
import { Findings, type FindingsDeps } from "./findings.js";
import { Journal, type JournalEntry } from "./journal.js";
import type { Redactor } from "./redact.js";

interface ObservedEvents extends Pick<CompanyEvents, "attempted"> {
  readonly finding: { readonly companyId: string; readonly finding: Finding };
}

export interface Observed {
  /** `requests`: kept in the journal of a company. */
  readonly options: { readonly limits: { readonly requests: number } };
  readonly log: Log;
  readonly system: SystemClock;
  readonly events: EventEmitter<ObservedEvents>;
  readonly redactor: Redactor;
  readonly companies: readonly Company[];
  /** There is one when there is any company. */
  readonly defaultCompany: Company;
  findCompany(companyId: string): Company | undefined;
}

/** What the clients of all companies did. */
export class Observations {
  readonly #byCompany = new Map<string, Observation>();
  readonly #sandbox: Observed;

  constructor(sandbox: Observed) {
    this.#sandbox = sandbox;
    sandbox.events.on("attempted", ({ company, attempt, delivery }) =>
      this.#byCompany.get(company.id)?.findings.attempted(attempt, delivery),
    );
  }

  /** Throws UsageError("not-found") when there is no such company. */
  of(companyId: string): Observation {
    const found = this.#byCompany.get(companyId);
    if (found === undefined) throw new UsageError("not-found", `There is no company "${companyId}".`);
    return found;
  }

  /** `before`: of the company that had this id before. */
  open(companyId: string, before?: Observation): void {
    this.#byCompany.set(companyId, before ?? this.#create(companyId));
  }

  remove(companyId: string): void {
    this.#byCompany.delete(companyId);
  }

  /** "A request with an unknown token is counted to the company of its `X-Company-Id`, else to the first." Undefined when there is no company left. */
  companyOf({ company, headers }: Exchange): string | undefined {
    const { companies } = this.#sandbox;
    if (company !== undefined || companies.length === 0) return company?.id;
    const named = this.#sandbox.findCompany(headers["x-company-id"] ?? "");
    return (named ?? this.#sandbox.defaultCompany).id;
  }

  /** Its entry in the journal; undefined when the company was removed or reset since the request came. */
  see(companyId: string, exchange: Exchange): JournalEntry | undefined {
    return this.#byCompany.get(companyId)?.see(exchange);
  }

  #create(companyId: string): Observation {
    const { options, system, redactor, events, log } = this.#sandbox;
    return new Observation(options.limits.requests, {
      system,
      redactor,
      company: () => this.#sandbox.findCompany(companyId),
      onFinding: (finding) => events.emit("finding", { companyId, finding }),
      onBug: (error) =>
        log.write("error", "bug", {
          company: companyId,
          error: error instanceof Error ? error.stack : String(error),
        }),
    });
  }
}

/**
 * What one company's client did. It is not part of the company's state: it stays when another state is put in. A reset forgets the requests and the
 * findings.
 */
export class Observation {
  readonly journal: Journal;
  readonly findings: Findings;
  /** Real time. Requests that came before are not recorded. */
  #resetAt = Number.NEGATIVE_INFINITY;

  constructor(requestsMax: number, deps: Omit<FindingsDeps, "journal">) {
    this.journal = new Journal(requestsMax);
    this.findings = new Findings({ ...deps, journal: this.journal });
  }

  see(exchange: Exchange): JournalEntry | undefined {
    if (exchange.receivedAt < this.#resetAt) return undefined;
    const entry = this.journal.record(exchange);
    this.findings.see(entry, exchange);
    exchange.onLost(() => {
      const lost = this.journal.lose(entry);
      if (lost !== undefined) this.findings.lost(lost);
    });
    return entry;
  }

  /** `now`: real time, ms of the machine's monotonic clock. */
  reset(now: number): void {
    this.#resetAt = now;
    this.journal.restart();
    this.findings.forget();
  }
}
