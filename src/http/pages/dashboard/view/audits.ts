import type { Instant } from "../../../../kernel/instant.js";
import { RecentMap } from "../../../../kernel/recent-map.js";
import type { AuditedReceiver } from "./auditor.js";

/** What an audit found, as long as it is remembered. */
export interface KeptAudit {
  readonly id: string;
  /** Of the company's time. */
  readonly at: Instant;
  /** The same from a terminal. */
  readonly command: string;
  readonly report: AuditedReceiver;
}

/** Reports of one company, and companies. */
const KEPT = 5;
const COMPANIES = 20;

/** The audits of one sandbox: one at a time, and the last reports of each company, until the sandbox stops. */
export class Audits {
  readonly #byCompany = new RecentMap<string, readonly KeptAudit[]>(COMPANIES);
  #isRunning = false;
  #last = 0;

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Undefined while another one runs. */
  async alone<T>(run: () => Promise<T>): Promise<T | undefined> {
    if (this.#isRunning) return undefined;
    this.#isRunning = true;
    try {
      return await run();
    } finally {
      this.#isRunning = false;
    }
  }

  /** Newest first. */
  of(companyId: string): readonly KeptAudit[] {
    return this.#byCompany.get(companyId) ?? [];
  }

  keep(companyId: string, audit: Omit<KeptAudit, "id">): KeptAudit {
    const kept = { ...audit, id: String(++this.#last) };
    this.#byCompany.set(companyId, [kept, ...this.of(companyId)].slice(0, KEPT));
    return kept;
  }
}
