import type { OpenedCompany } from "../../../../sandbox/sandbox-parts.js";
import type { Snapshot } from "../../../../sandbox/state/company-record.js";
import type { Fields } from "./actions.js";
import { shorten } from "../../../../kernel/messages/text.js";
import type { Instant } from "../../../../kernel/time/instant.js";
import type { AuditedReceiver } from "../../../../audit/auditor.js";
import { RecentMap } from "../../../../kernel/records/recent-map.js";

/** The result of an action, shown by the next page. */
export interface Outcome {
  readonly id: string;
  readonly ok: boolean;
  readonly title: string;
  readonly problems: readonly string[];
  readonly curl: string;
  /** The form that was refused, which the next page shows as it was filled in. */
  readonly refused?: { readonly name: string; readonly fields: Fields } | undefined;
  readonly undo?: Undo | undefined;
}

/** What undoes an action: the snapshot from before it, or the snapshot that it removed. */
export type Undo = { readonly restore: Pick<Snapshot, "id" | "seq" | "savedAt"> } | { readonly removed: Snapshot };

interface KeptOutcome {
  readonly of: OpenedCompany;
  readonly tenant: string | undefined;
  readonly outcome: Outcome;
}

export interface KeptAudit {
  readonly at: Instant;
  readonly command: string;
  readonly report: AuditedReceiver;
}

const OUTCOMES_MAX = 500;
/** The most characters kept of a title, which may quote a reference of a megabyte. The longest URL of a subscription fits. */
const TITLE_LENGTH_MAX = 3_000;
/** The most fields kept of a refused form. No form of the dashboard has more. */
const FIELDS_MAX = 20;
/** The most characters kept of all fields together. A field that exceeds it, such as the text of a file, is shown empty. */
const FIELDS_LENGTH_MAX = 100_000;
/** A longer command is not shown. Only a field in its path makes it that long. */
const CURL_LENGTH_MAX = 20_000;
/** The most bytes of removed snapshots that can be put back. The largest snapshot fits. */
const REMOVED_BYTES_MAX = 256 * 1024 * 1024;

/** What the dashboard of one sandbox remembers until the sandbox stops. A company that is opened later under the same id sees nothing of it. */
export class Memory {
  readonly #outcomes = new RecentMap<string, KeptOutcome>(OUTCOMES_MAX);
  readonly #audits = new WeakMap<OpenedCompany, KeptAudit>();
  #lastId = 0;

  /** Returns the id by which the next page finds the outcome. `tenant`: that of the caller. */
  addOutcome(of: OpenedCompany, outcome: Omit<Outcome, "id">, tenant?: string): string {
    const id = String(++this.#lastId);
    const refused = outcome.refused && { ...outcome.refused, fields: withoutLong(outcome.refused.fields) };
    const curl = outcome.curl.length > CURL_LENGTH_MAX ? "" : outcome.curl;
    // Copied: a part of a text would keep the whole text in memory.
    const title = Buffer.from(shorten(outcome.title, TITLE_LENGTH_MAX)).toString();
    this.#outcomes.add(id, { of, tenant, outcome: { ...outcome, title, refused, curl, id } });
    this.#forgetRemoved();
    return id;
  }

  /** Undefined for an outcome of another company. A tenant does not see what an administrator did: it may name other companies. */
  findOutcome(of: OpenedCompany, id: string, tenant?: string): Outcome | undefined {
    const found = this.#outcomes.get(id);
    return found?.of === of && found.tenant === tenant ? found.outcome : undefined;
  }

  /** Drops the oldest outcomes that keep more snapshots than there is room for. */
  #forgetRemoved(): void {
    let left = REMOVED_BYTES_MAX;
    for (const [id, { outcome }] of [...this.#outcomes].toReversed()) {
      const { undo } = outcome;
      if (undo === undefined || !("removed" in undo)) continue;
      left -= undo.removed.bytes;
      if (left < 0) this.#outcomes.delete(id);
    }
  }

  /** The report of the last audit. */
  findAudit(of: OpenedCompany): KeptAudit | undefined {
    return this.#audits.get(of);
  }

  keepAudit(of: OpenedCompany, audit: KeptAudit): void {
    this.#audits.set(of, audit);
  }
}

function withoutLong(fields: Fields): Fields {
  let left = FIELDS_LENGTH_MAX;
  const entries = Object.entries(fields).slice(0, FIELDS_MAX);
  return Object.fromEntries(
    entries.flatMap(([name, text]) => {
      if (name.length + text.length > left) return name.length > left ? [] : [[name, ""]];
      left -= name.length + text.length;
      return [[name, text]];
    }),
  );
}
