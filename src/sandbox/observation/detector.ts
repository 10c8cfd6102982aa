import type { Attempt, Delivery } from "../../domain/model/delivery.js";
import type { World } from "../../domain/model/work.js";
import type { Row } from "../../kernel/table.js";
import type { Finding } from "./finding.js";
import type { JournalEntry } from "./journal.js";
import type { Secret } from "./redact.js";

/** Looks for one kind of mistake in what happens to one company, in the order in which it happens. What it remembers is bounded. */
export interface Detector {
  /** A request was answered; `fate` says whether the client read the answer, as far as that is known yet. */
  readonly see?: (entry: JournalEntry, scene: Scene) => readonly Detection[];
  /** The client never read the answer to a request that was seen before. */
  readonly lost?: (entry: JournalEntry, scene: Scene) => readonly Detection[];
  /** An attempt to deliver a webhook ended. `delivery` includes it. */
  readonly attempted?: (attempt: Attempt, delivery: Delivery, scene: Scene) => readonly Detection[];
}

/** What else a detector may look at. */
export interface Scene {
  /** The company's records, after what happened. */
  readonly world: World;
  /** Real time, ms of the machine's monotonic clock. */
  readonly now: number;
  /** The company's secret key and access tokens. */
  readonly secrets: readonly Secret[];
  /** The newest request that made this record, if it is still in the journal. */
  readonly causeOf: (record: Row) => JournalEntry | undefined;
}

/** A detection with the key of an earlier one of its kind is the same mistake, and is reported once. `fix` replaces that of its kind. */
export interface Detection extends Pick<Finding, "why" | "requests"> {
  readonly key: string;
  readonly fix?: string;
}
