import type { Attempt, Delivery } from "../../domain/deliveries/delivery.js";
import type { Log } from "../../kernel/log.js";
import { UsageError } from "../../kernel/problem.js";
import type { Exchange } from "../company/exchange.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import type { Company } from "../company/company.js";
import type { Finding } from "./finding.js";
import type { JournalEntry } from "./journal.js";
import { Observation, type ObservationLimits } from "./observation.js";
import type { Guarded, Redactor } from "./redact.js";

/** Told of each new finding, and of whose client it is. */
export type FindingListener = (finding: Finding, companyId: string) => void;

/** The sandbox, as far as it is needed here. */
export interface Observed extends Guarded {
  readonly options: Guarded["options"] & { readonly limits: ObservationLimits };
  readonly log: Log;
  readonly system: SystemClock;
  readonly redactor: () => Redactor;
  findCompany(companyId: string): Company | undefined;
}

/** What the sandbox sees of each company's client. */
export class Observations {
  readonly #byCompany = new Map<string, Observation>();
  readonly #sandbox: Observed;
  readonly #listeners = new Set<FindingListener>();

  constructor(sandbox: Observed) {
    this.#sandbox = sandbox;
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

  attempted(companyId: string, attempt: Attempt, delivery: Delivery): void {
    this.#byCompany.get(companyId)?.attempted(attempt, delivery);
  }

  /** Tells `listener` of each new finding of any company, until the returned function is called. */
  onFinding(listener: FindingListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #create(companyId: string): Observation {
    const sandbox = this.#sandbox;
    return new Observation({
      limits: sandbox.options.limits,
      system: sandbox.system,
      redactor: sandbox.redactor,
      company: () => sandbox.findCompany(companyId),
      onBug: (error) => this.#logBug(companyId, error),
      onFinding: (finding) => {
        for (const listener of this.#listeners) listener(finding, companyId);
      },
    });
  }

  #logBug(company: string, error: unknown): void {
    this.#sandbox.log.write("error", "bug", { company, error: error instanceof Error ? error.stack : String(error) });
  }
}
