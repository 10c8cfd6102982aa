import type { Attempt, Delivery } from "../../domain/model/delivery.js";
import type { World } from "../../domain/model/work.js";
import type { Row } from "../../kernel/table.js";
import type { Finding } from "./finding.js";
import type { JournalEntry } from "./journal.js";
import type { Secret } from "./redact.js";

/**
 * Looks for one kind of mistake: a small state machine that is told what happens, in the order in which it does, and says what it found. It keeps what
 * it needs of one company's world, bounded; another world (a reset, a state that was put back) gets another detector.
 */
export interface Detector {
  /** A request was answered; `fate` says whether the client read the answer, as far as that is known yet. */
  readonly see?: (entry: JournalEntry, scene: Scene) => readonly Detection[];
  /** It turned out later that the client never read the answer to a request that was seen before. */
  readonly lost?: (entry: JournalEntry, scene: Scene) => readonly Detection[];
  /** An attempt to deliver a webhook ended. `delivery` is as it stands since. */
  readonly attempted?: (attempt: Attempt, delivery: Delivery, scene: Scene) => readonly Detection[];
}

/** What else a detector may look at. */
export interface Scene {
  /** The company's records, after what is told. */
  readonly world: World;
  /** Real time, ms of the machine's monotonic clock. */
  readonly now: number;
  /** What nobody may read anywhere: the company's secret key and its access tokens. */
  readonly secrets: readonly Secret[];
  /** The newest request that made this record, if the journal still knows it. */
  readonly causeOf: (record: Row) => JournalEntry | undefined;
}

/** `key`: what is found again under the same key, by the same kind, is the same mistake and is told once. */
export interface Detection extends Omit<Finding, "kind"> {
  readonly key: string;
}

export const nothing: readonly Detection[] = [];
