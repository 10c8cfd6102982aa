import type { World } from "../domain/model/work.js";
import { stackOf } from "../kernel/log.js";
import type { Exchange } from "./company/exchange.js";
import { Findings, type FindingsDeps } from "./findings/findings.js";
import { Journal, type JournalEntry } from "./observation/journal.js";
import { type SecretRedactor, ownRedactor } from "./observation/redact.js";
import type { Sandbox } from "./sandbox.js";
import type { CompanyRecord } from "./state/company-record.js";
import type { CompanySetup } from "./state/fixture.js";

/**
 * What one company's client did. It is not part of the company's state, so it is kept when the state is replaced. A reset forgets the requests and the
 * findings.
 */
export class Observation {
  readonly journal: Journal;
  readonly findings: Findings;
  readonly redactor: SecretRedactor;
  /** Real time, ms of the machine's monotonic clock. Requests to an earlier company of the id arrived before. */
  readonly #openedAt: number;
  /** Requests that arrived earlier are not recorded. */
  #resetAt = Number.NEGATIVE_INFINITY;

  constructor(requestsMax: number, deps: Omit<FindingsDeps, "journal"> & { readonly redactor: SecretRedactor }) {
    this.redactor = deps.redactor;
    this.#openedAt = deps.system.monotonic();
    this.journal = new Journal(requestsMax);
    this.findings = new Findings({ ...deps, journal: this.journal });
  }

  see(exchange: Exchange): JournalEntry | undefined {
    const { company, receivedAt } = exchange;
    if (receivedAt < this.#resetAt) return undefined;
    // A request that was received before may also have opened this company.
    if (company?.closed === true && receivedAt < this.#openedAt) return undefined;
    const entry = this.journal.record(exchange);
    this.findings.see(entry, exchange);
    exchange.onLost(() => {
      const lost = this.journal.lose(entry);
      if (lost !== undefined) this.findings.lost(lost);
    });
    return entry;
  }

  replace(world: World, next: CompanyRecord, { ofScenario }: CompanySetup): void {
    // A scenario is not a client, so what it does not check is not a mistake of a client.
    if (!ofScenario) this.findings.replace(next.world);
    this.journal.forgetReplaced(world, next);
  }

  /** `now`: real time, ms of the machine's monotonic clock. */
  reset(now: number): void {
    this.#resetAt = now;
    this.journal.restart();
    this.findings.forget();
  }
}

/** Observes a company's client from now on. */
export function observe(
  companyId: string,
  sandbox: Pick<Sandbox, "options" | "system" | "redactor" | "events" | "log" | "findCompany">,
): Observation {
  const { options, system, redactor, events, log } = sandbox;
  return new Observation(options.limits.requests, {
    system,
    redactor: ownRedactor(options, redactor),
    company: () => sandbox.findCompany(companyId),
    isWatched: () => events.listenerCount("finding") > 0,
    onFinding: (finding) => events.emit("finding", { companyId, finding }),
    onWithdrawn: (finding) => events.emit("findingWithdrawn", { companyId, finding }),
    onBug: (error) => log.write("error", "bug", { company: companyId, error: stackOf(error) }),
  });
}
