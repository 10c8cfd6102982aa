import type { Instant } from "../../../../kernel/time/instant.js";
import type { AuditedReceiver } from "../../../../audit/auditor.js";

/** The result of an action, shown by the next page. */
export interface Outcome {
  readonly id: string;
  readonly ok: boolean;
  readonly title: string;
  readonly problems: readonly string[];
  /** Several lines: why a scenario failed. */
  readonly text?: string | undefined;
  readonly curl: string;
  /** What the control API answered, as text; empty without a body. */
  readonly answer: string;
}

/** A rule that was switched off, as JSON, so that it can be added again. */
export interface SwitchedOff {
  readonly name: string | null;
  readonly text: string;
}

export interface KeptAudit {
  readonly id: string;
  readonly at: Instant;
  readonly command: string;
  readonly report: AuditedReceiver;
}

const OUTCOMES_MAX = 50;
const COMPANIES_MAX = 100;
const SWITCHED_OFF_MAX = 20;
const AUDITS_MAX = 5;

/** What the dashboard of one sandbox remembers until the sandbox stops. Lists are newest first. */
export class Memory {
  readonly #outcomes = new Map<string, Outcome>();
  readonly #switchedOff = new Map<string, readonly SwitchedOff[]>();
  readonly #audits = new Map<string, readonly KeptAudit[]>();
  #lastId = 0;

  /** Returns the id with which the next page finds it. */
  addOutcome(outcome: Omit<Outcome, "id">): string {
    const id = String(++this.#lastId);
    setNewest(this.#outcomes, id, { ...outcome, id }, OUTCOMES_MAX);
    return id;
  }

  findOutcome(id: string): Outcome | undefined {
    return this.#outcomes.get(id);
  }

  switchedOff(companyId: string): readonly SwitchedOff[] {
    return this.#switchedOff.get(companyId) ?? [];
  }

  addSwitchedOff(companyId: string, rules: readonly SwitchedOff[]): void {
    const others = this.switchedOff(companyId).filter(({ text }) => !rules.some((rule) => rule.text === text));
    setNewest(this.#switchedOff, companyId, [...rules, ...others].slice(0, SWITCHED_OFF_MAX), COMPANIES_MAX);
  }

  /** For a rule that is in force again. */
  removeSwitchedOff(companyId: string, text: string): void {
    const others = this.switchedOff(companyId).filter((rule) => rule.text !== text);
    setNewest(this.#switchedOff, companyId, others, COMPANIES_MAX);
  }

  audits(companyId: string): readonly KeptAudit[] {
    return this.#audits.get(companyId) ?? [];
  }

  addAudit(companyId: string, audit: Omit<KeptAudit, "id">): string {
    const id = String(++this.#lastId);
    const audits = [{ ...audit, id }, ...this.audits(companyId)].slice(0, AUDITS_MAX);
    setNewest(this.#audits, companyId, audits, COMPANIES_MAX);
    return id;
  }
}

/** Sets an entry as the newest, and drops the oldest beyond `max`. */
export function setNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
