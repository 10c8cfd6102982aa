import type { EventEmitter } from "../../kernel/events.js";
import type { Log } from "../../kernel/log.js";
import { UsageError } from "../../kernel/problem.js";
import type { Exchange } from "../company/exchange.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import type { Company } from "../company/company.js";
import type { CompanyEvents } from "../company/company-events.js";
import type { Finding } from "./finding.js";
import type { JournalEntry } from "./journal.js";
import { Observation, type ObservationLimits } from "./observation.js";
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
