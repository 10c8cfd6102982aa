import type { Attempt, Delivery } from "../../domain/model/delivery.js";
import type { Instant } from "../../kernel/time/instant.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { type Row, Table } from "../../kernel/records/table.js";
import type { World } from "../../domain/model/work.js";
import type { Company } from "../company/company.js";
import { type Connection, type Exchange, isFromAudit } from "../company/exchange.js";
import { plainId } from "../../domain/values/ids.js";
import {
  createChargeRepeatedDetector,
  createRefundRepeatedDetector,
  payAfterDrop,
  refundBeyondPaid,
} from "./charge-mistakes.js";
import { type Detection, type Detector, type Scene, type Verdict, idInPath } from "./detector.js";
import { createDoublePayoutDetector } from "./double-payout.js";
import { FINDINGS_MAX, type Finding, type FindingKind, findingKinds } from "./finding.js";
import type { Journal, JournalEntry } from "../observation/journal.js";
import { createOutcomeNeverLearnedDetector } from "./outcome-never-learned.js";
import { createBatchRepeatedDetector, createConcurrentPayoutsDetector, referenceReused } from "./payout-mistakes.js";
import {
  createDuplicateSubscriptionDetector,
  forgedAcknowledged,
  webhookSlow,
  webhookUnacknowledged,
} from "./webhook-mistakes.js";
import { createPollingTooFastDetector, createRetryAtOnceDetector, secretLeaked } from "./request-mistakes.js";
import { type Redactor, redactPath, secretsOf } from "../observation/redact.js";
import { unknownBody } from "./unknown-body.js";
import { RecentMap } from "../../kernel/records/recent-map.js";

/** Charges and transfers of audits that are remembered; the oldest are forgotten first. */
const AUDITED_MAX = 10_000;

const detectorOf: Readonly<Record<FindingKind, () => Detector>> = {
  "double-payout": createDoublePayoutDetector,
  "batch-repeated": createBatchRepeatedDetector,
  "reference-reused": () => referenceReused,
  "refund-repeated": createRefundRepeatedDetector,
  "refund-beyond-paid": () => refundBeyondPaid,
  "secret-leaked": () => secretLeaked,
  "forged-webhook-acknowledged": () => forgedAcknowledged,
  "concurrent-payouts": createConcurrentPayoutsDetector,
  "charge-repeated": createChargeRepeatedDetector,
  "pay-after-drop": () => payAfterDrop,
  "outcome-never-learned": createOutcomeNeverLearnedDetector,
  "webhook-unacknowledged": () => webhookUnacknowledged,
  "webhook-slow": () => webhookSlow,
  "duplicate-subscription": createDuplicateSubscriptionDetector,
  "retry-at-once": createRetryAtOnceDetector,
  "polling-too-fast": createPollingTooFastDetector,
  "unknown-body": () => unknownBody,
};

/** `outcomes`: the detector of `outcome-never-learned`, which goes on when a state is restored. */
function createDetectors(outcomes: Detector): readonly (readonly [FindingKind, Detector])[] {
  const kinds = Object.keys(findingKinds) as FindingKind[];
  return kinds.map((kind) => [kind, kind === "outcome-never-learned" ? outcomes : detectorOf[kind]()]);
}

/** A finding, in the order in which it was found. The `id` is not shown. */
export interface FindingRow extends Row {
  readonly finding: Finding;
  /** The company's time when it was found. */
  readonly at: Instant;
  /** Whether it was found at the end of the run. */
  readonly endsRun: boolean;
}

export interface FindingsDeps {
  readonly system: Pick<SystemClock, "monotonic">;
  readonly journal: Pick<Journal, "entries" | "lastSeq">;
  /** The present company of the id; undefined when it was removed. */
  readonly company: () => Company | undefined;
  readonly redactor: Redactor;
  /** Whether anything listens for findings. */
  readonly isWatched: () => boolean;
  readonly onFinding: (finding: Finding) => void;
  readonly onWithdrawn: (finding: Finding) => void;
  readonly onBug: (error: unknown) => void;
}

/** In requests with longer paths only secrets are looked for: detectors remember thousands of paths and of the ids in them. */
const PATH_MAX = 1_000;

/** How many webhooks of one request detectors remember. */
const ENQUEUED_MAX = 100;

/** Detectors keep entries that the journal has dropped, and one request may send thousands of webhooks. */
function withFewWebhooks(entry: JournalEntry): JournalEntry {
  return { ...entry, enqueued: entry.enqueued.slice(0, ENQUEUED_MAX) };
}

/** A batch may have thousands of mistakes, of which only the last {@link FINDINGS_MAX} are kept anyway. */
function newestOf(verdicts: readonly Verdict[]): readonly Verdict[] {
  let surplus = verdicts.filter((verdict) => !("withdraws" in verdict)).length - FINDINGS_MAX;
  return verdicts.filter((verdict) => "withdraws" in verdict || surplus-- <= 0);
}

/** The mistakes of one company's client that cost money in production. Each is reported once. */
export class Findings {
  readonly #deps: FindingsDeps;
  #rows = new Table<FindingRow>("findings");
  #outcomes = createOutcomeNeverLearnedDetector();
  #detectors = createDetectors(this.#outcomes);
  /** The company that the detectors have seen. A reset, and putting a state, replaces it. */
  #company: Company | undefined;
  #firstEntry = 0;
  #found = 0;
  /** Charges and transfers that an audit created or requested. What happens to them is not the client's doing. */
  #audited = new RecentMap<string, true>(AUDITED_MAX);

  constructor(deps: FindingsDeps) {
    this.#deps = deps;
  }

  /** Oldest first. */
  list(): readonly Finding[] {
    return this.#rows.values().map(({ finding }) => finding);
  }

  get rows(): Pick<Table<FindingRow>, "page"> {
    return this.#rows;
  }

  see(entry: JournalEntry, { company, connection }: Exchange): void {
    // The company that answered was replaced or removed meanwhile.
    if (company?.closed === true) return;
    const isLong = entry.path.length > PATH_MAX;
    const id = isLong ? undefined : idInPath(entry);
    const resource = id === undefined ? [] : [plainId(id)];
    if (isFromAudit(entry)) for (const audited of [...resource, ...entry.created]) this.#audited.add(audited, true);
    // After a restore, a seeded stream of ids repeats what it has drawn since.
    else for (const created of entry.created) this.#audited.delete(created);
    if (isFromAudit(entry) || resource.some(this.#isAudited)) return;
    const seen = withFewWebhooks(entry);
    const isAsked = (detector: Detector): boolean => !isLong || detector === secretLeaked;
    this.#ask(
      entry.seq,
      (detector, scene) => (isAsked(detector) ? detector.see?.(seen, scene) : undefined),
      connection,
    );
  }

  /** The client never read the answer to a request that was seen before. */
  lost(entry: JournalEntry): void {
    if (isFromAudit(entry) || entry.path.length > PATH_MAX) return;
    const seen = withFewWebhooks(entry);
    this.#ask(entry.seq, (detector, scene) => detector.lost?.(seen, scene));
  }

  /** An attempt to deliver a webhook begins. */
  attempting(delivery: Delivery, at: Instant): void {
    if (this.#isAudited(delivery.resource)) return;
    this.#ask(this.#deps.journal.lastSeq + 1, (detector, scene) => detector.attempting?.(delivery, at, scene));
  }

  /** An attempt to deliver a webhook ended. `delivery` includes it. */
  attempted(attempt: Attempt, delivery: Delivery): void {
    if (this.#isAudited(delivery.resource)) return;
    this.#ask(this.#deps.journal.lastSeq + 1, (detector, scene) => detector.attempted?.(attempt, delivery, scene));
  }

  /** Looks for mistakes that only the end of the run shows. If the run continues and ends again, the later findings replace the earlier ones. */
  end(waited: boolean): void {
    this.#end(waited, this.#isAudited, true);
  }

  /** Like `end`, for findings that are forgotten next. Describing a thousand webhooks takes seconds, so nothing is done when nothing listens. */
  endForgotten(): void {
    if (this.#deps.isWatched()) this.end(false);
  }

  /**
   * The company gets this state. Like `end` for what is not in it, or has another status there: the client can learn nothing more about that, so the
   * findings stay.
   */
  replace(next: Pick<World, "charges" | "transfers">): void {
    const before = this.#deps.company()?.world;
    const statusIn = (world: typeof next | undefined, id: string): string | undefined =>
      (world?.charges.get(id) ?? world?.transfers.get(id))?.status;
    const isLeftOut = (id: string): boolean => {
      const status = statusIn(next, id);
      return this.#isAudited(id) || (status !== undefined && status === statusIn(before, id));
    };
    this.#end(false, isLeftOut, false);
  }

  #end(waited: boolean, isAudited: Scene["isAudited"], endsRun: boolean): void {
    for (const row of this.#rows.values().filter((found) => found.endsRun)) this.#withdraw(row.id);
    const at = this.#deps.company()?.now() ?? 0;
    this.#ask(
      this.#deps.journal.lastSeq + 1,
      (detector, scene) => detector.ended?.({ at, waited }, { ...scene, isAudited }),
      undefined,
      endsRun,
    );
  }

  forget(): void {
    this.#rows = new Table<FindingRow>("findings");
    this.#company = undefined;
    this.#outcomes = createOutcomeNeverLearnedDetector();
    this.#audited.clear();
  }

  #ask(
    entrySeq: number,
    ask: (detector: Detector, scene: Scene) => readonly Verdict[] | undefined,
    connection?: Connection,
    endsRun = false,
  ): void {
    const company = this.#deps.company();
    if (company === undefined) return;
    if (this.#company !== company) {
      this.#company = company;
      this.#firstEntry = entrySeq;
      this.#detectors = createDetectors(this.#outcomes);
    }
    // Read the age before `now`: at worst the connection then seems to have been opened a little later than it was.
    const connectionAgeMs = connection?.ageMs() ?? 0;
    const scene: Scene = {
      world: company.world,
      profile: company.profile,
      connection,
      connectionAgeMs,
      now: this.#deps.system.monotonic(),
      secrets: secretsOf(company.record.identity),
      causeOf: this.#causeOf,
      isAudited: this.#isAudited,
    };
    for (const [kind, detector] of this.#detectors) {
      try {
        for (const verdict of newestOf(ask(detector, scene) ?? [])) {
          if ("withdraws" in verdict) this.#withdraw(`${kind} ${verdict.withdraws}`);
          else this.#keep(kind, verdict, endsRun, company.now());
        }
      } catch (error) {
        this.#deps.onBug(error);
      }
    }
  }

  readonly #isAudited = (id: string): boolean => this.#audited.has(id);

  #withdraw(id: string): void {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    this.#rows.delete(id);
    this.#deps.onWithdrawn(row.finding);
  }

  readonly #causeOf = ({ seq: made }: Row): JournalEntry | undefined => {
    const isCause = ({ seq, made: { from, to } }: JournalEntry) => seq >= this.#firstEntry && from < made && made <= to;
    return this.#deps.journal.entries.values().findLast(isCause);
  };

  #keep(kind: FindingKind, { key, why, fix, requests }: Detection, endsRun: boolean, at: Instant): void {
    const id = `${kind} ${key}`;
    if (this.#rows.get(id) !== undefined) return;
    const { redactor } = this.#deps;
    const { text } = redactor;
    const { severity, fix: usualFix } = findingKinds[kind];
    const shown = requests.map((request) => ({
      ...request,
      path: redactPath(request.path, redactor),
      summary: text(request.summary),
    }));
    const finding: Finding = { kind, severity, why: text(why), fix: text(fix ?? usualFix ?? ""), requests: shown };
    this.#rows.set({ id, seq: ++this.#found, finding, at, endsRun });
    if (this.#rows.size > FINDINGS_MAX) this.#deleteOne();
    this.#deps.onFinding(finding);
  }

  /** Deletes the oldest warning, or if there is none, the oldest finding. */
  #deleteOne(): void {
    const isWarning = ({ finding }: FindingRow): boolean => finding.severity === "warning";
    const [warning] = this.#rows.page({ limit: 1, where: isWarning }).rows;
    const [oldest] = this.#rows.page({ limit: 1 }).rows;
    this.#rows.delete((warning ?? oldest!).id);
  }
}
