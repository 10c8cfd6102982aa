import type { Detection, Detector, Scene } from "./detector.js";
import { createDoublePayoutDetector } from "./double-payout.js";
import { createPayAfterDropDetector, createRefundBeyondPaidDetector } from "./charge-mistakes.js";
import { createPollingTooFastDetector, createRetryAtOnceDetector } from "./pace-mistakes.js";
import { createSecretLeakedDetector } from "./secret-leaked.js";
import { createWebhookSlowDetector, createWebhookUnacknowledgedDetector } from "./webhook-mistakes.js";
import { type Finding, type FindingKind, findingKinds } from "./finding.js";
import type { Attempt, Delivery } from "../../domain/model/delivery.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import { type Row, Table } from "../../kernel/table.js";
import type { Company } from "../company/company.js";
import type { CompanyRecord, Identity } from "../state/company-record.js";
import type { Exchange } from "../company/exchange.js";
import type { Journal, JournalEntry } from "./journal.js";
import type { Observer } from "./observations.js";
import { type Redactor, type Secret, secretsOf } from "./redact.js";

/** Findings of one company that are kept; the oldest are forgotten first. */
export const FINDINGS_MAX = 1_000;

/** A finding in the order in which it was found; its `id` tells it from others and is not shown. */
export interface FindingRow extends Row {
  readonly finding: Finding;
}

export interface FindingsDeps {
  readonly system: Pick<SystemClock, "monotonic">;
  readonly journal: Pick<Journal, "entries" | "lastSeq">;
  /** The company as it stands; undefined when it was removed. */
  readonly company: () => Company | undefined;
  /** What is found is shown without any secret. */
  readonly redactor: Redactor;
  /** Told of each new finding. */
  readonly onFinding: (finding: Finding) => void;
}

/** "What is seen is judged": what one company's client did that costs money in production, each mistake once. */
export class Findings implements Observer {
  readonly #deps: FindingsDeps;
  #rows = new Table<FindingRow>("findings");
  #detectors = createDetectors();
  /** Whose world the detectors know: another stands in its place after a reset, or when a state was put back. */
  #company: Company | undefined;
  /** The first entry of the journal that is about that world. */
  #firstEntry = 0;
  #secrets: { readonly identity: Identity; readonly list: readonly Secret[] } | undefined;
  #found = 0;

  constructor(deps: FindingsDeps) {
    this.#deps = deps;
  }

  /** Oldest first. */
  list(): readonly Finding[] {
    return this.#rows.values().map(({ finding }) => finding);
  }

  /** For pages of them. */
  get rows(): Pick<Table<FindingRow>, "page"> {
    return this.#rows;
  }

  see(entry: JournalEntry, { company }: Exchange): void {
    // Answered in a world that another has replaced since.
    if (company?.closed === true) return;
    this.#ask(entry.seq, (detector, scene) => detector.see?.(entry, scene));
  }

  lost(entry: JournalEntry): void {
    this.#ask(entry.seq, (detector, scene) => detector.lost?.(entry, scene));
  }

  /** An attempt to deliver a webhook ended. `delivery` is as it stands since. */
  attempted(attempt: Attempt, delivery: Delivery): void {
    this.#ask(this.#deps.journal.lastSeq + 1, (detector, scene) => detector.attempted?.(attempt, delivery, scene));
  }

  forget(): void {
    this.#rows = new Table<FindingRow>("findings");
    this.#company = undefined;
  }

  #ask(entrySeq: number, ask: (detector: Detector, scene: Scene) => readonly Detection[] | undefined): void {
    const { system, company: findCompany } = this.#deps;
    const company = findCompany();
    if (company === undefined) return;
    if (this.#company !== company) {
      this.#company = company;
      this.#firstEntry = entrySeq;
      this.#detectors = createDetectors();
    }
    const { world, record } = company;
    const scene: Scene = { world, now: system.monotonic(), secrets: this.#secretsOf(record), causeOf: this.#causeOf };
    for (const [kind, detector] of this.#detectors)
      for (const detection of ask(detector, scene) ?? []) this.#keep(kind, detection);
  }

  /** An identity is replaced whole. */
  #secretsOf({ identity }: CompanyRecord): readonly Secret[] {
    if (this.#secrets?.identity !== identity) this.#secrets = { identity, list: secretsOf(identity) };
    return this.#secrets.list;
  }

  readonly #causeOf = ({ seq: made }: Row): JournalEntry | undefined => {
    const isCause = ({ seq, made: { from, to } }: JournalEntry) => seq >= this.#firstEntry && from < made && made <= to;
    return this.#deps.journal.entries.page({ limit: 1, newestFirst: true, where: isCause }).rows[0];
  };

  #keep(kind: FindingKind, { key, severity, why, fix, requests }: Detection): void {
    const id = `${kind} ${key}`;
    if (this.#rows.get(id) !== undefined) return;
    const { text } = this.#deps.redactor;
    const shown = requests.map((request) => ({ ...request, path: text(request.path), summary: text(request.summary) }));
    const finding: Finding = { kind, severity, why: text(why), fix: text(fix), requests: shown };
    this.#rows.set({ id, seq: ++this.#found, finding });
    const [oldest] = this.#rows.size > FINDINGS_MAX ? this.#rows.values() : [];
    if (oldest !== undefined) this.#rows.delete(oldest.id);
    this.#deps.onFinding(finding);
  }
}

const creators: Readonly<Record<FindingKind, () => Detector>> = {
  "double-payout": createDoublePayoutDetector,
  "refund-beyond-paid": createRefundBeyondPaidDetector,
  "pay-after-drop": createPayAfterDropDetector,
  "secret-leaked": createSecretLeakedDetector,
  "webhook-unacknowledged": createWebhookUnacknowledgedDetector,
  "webhook-slow": createWebhookSlowDetector,
  "retry-at-once": createRetryAtOnceDetector,
  "polling-too-fast": createPollingTooFastDetector,
};

/** One for each kind, none of which has seen anything yet. */
export function createDetectors(): readonly (readonly [FindingKind, Detector])[] {
  return findingKinds.map((kind) => [kind, creators[kind]()]);
}
