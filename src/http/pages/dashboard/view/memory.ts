import type { OpenedCompany } from "../../../../sandbox/sandbox-parts.js";
import type { Snapshot } from "../../../../sandbox/state/company-record.js";
import type { Fields } from "./actions.js";
import type { Instant } from "../../../../kernel/time/instant.js";
import type { AuditedReceiver } from "../../../../audit/auditor.js";

/** The result of an action, shown by the next page. */
export interface Outcome {
  readonly id: string;
  readonly ok: boolean;
  readonly title: string;
  readonly problems: readonly string[];
  readonly curl: string;
  /** The form that was refused: the next page shows it as it was filled in. */
  readonly refused?: { readonly name: string; readonly fields: Fields } | undefined;
  readonly undo?: Undo | undefined;
}

/** What takes an action back: the snapshot from before it, or the snapshot that it removed. */
export type Undo = { readonly restore: string } | { readonly removed: Snapshot };

export interface KeptAudit {
  readonly at: Instant;
  readonly command: string;
  readonly report: AuditedReceiver;
}

const OUTCOMES_MAX = 500;

/** What the dashboard of one sandbox remembers until the sandbox stops, nothing of it for another company of the same id. */
export class Memory {
  readonly #outcomes = new Map<string, { readonly of: OpenedCompany; readonly outcome: Outcome }>();
  readonly #audits = new WeakMap<OpenedCompany, KeptAudit>();
  #lastId = 0;

  /** Returns the id with which the next page finds it. */
  addOutcome(of: OpenedCompany, outcome: Omit<Outcome, "id">): string {
    const id = String(++this.#lastId);
    setNewest(this.#outcomes, id, { of, outcome: { ...outcome, id } }, OUTCOMES_MAX);
    return id;
  }

  /** Undefined for an outcome of another company. */
  findOutcome(of: OpenedCompany, id: string): Outcome | undefined {
    const found = this.#outcomes.get(id);
    return found?.of === of ? found.outcome : undefined;
  }

  /** Of the last audit. */
  findAudit(of: OpenedCompany): KeptAudit | undefined {
    return this.#audits.get(of);
  }

  keepAudit(of: OpenedCompany, audit: KeptAudit): void {
    this.#audits.set(of, audit);
  }
}

/** Sets an entry as the newest, and drops the oldest beyond `max`. */
export function setNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
