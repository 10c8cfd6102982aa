import type { Delivery } from "../../domain/model/delivery.js";
import type { World } from "../../domain/model/work.js";
import type { JournalEntry } from "../observation/journal.js";
import type { Detection, RequestLine, Scene } from "./detector.js";

/** A payout, charge or refund that a request asks for. Orders of one group and amount differ only in their references. */
export interface Order {
  readonly group: string;
  readonly reference: string;
  readonly amount: unknown;
}

/** What a read or an acknowledged webhook has shown the client. */
export interface Proof {
  readonly group: string;
  /** Undefined means all orders of the group. */
  readonly reference?: string;
  /** Whether the order was accepted; how it ended; or the state of the whole group, which settles all its orders until now. */
  readonly shows: "acceptance" | "outcome" | "everything";
}

/** Why an order counts as repeated: the outcome of the first was unknown, or both are reactions to one webhook that came twice. */
export type Cause = "unknown" | "webhook";

/** How the detector of repeated orders reads one kind of orders. */
export interface OrderKind<O extends Order> {
  readonly ordersOf: (entry: JournalEntry, scene: Scene) => readonly O[];
  /** Whether the order has failed for good, so that a new reference is right. */
  readonly hasFailed: (order: O, world: World) => boolean;
  /** What a 409 shows: that the order was done before, so that another reference would do it twice, or that another reference is right. */
  readonly conflictOf: (order: O, entry: JournalEntry, scene: Scene) => "done" | "settled" | undefined;
  readonly provenBy: (shown: JournalEntry | Delivery, scene: Scene) => Proof | undefined;
  /** Whether these are two orders. Otherwise they may be two attempts at one. */
  readonly areTwo: (one: O, other: O) => boolean;
  /** Whether clients react to this webhook with such an order. */
  readonly isReaction?: (order: O, webhook: Delivery) => boolean;
  readonly describe: (first: Tried<O>, again: Tried<O>, cause: Cause, scene: Scene) => Omit<Detection, "key">;
}

/** An order and the request that the finding shows of it. */
interface Tried<O> {
  readonly order: O;
  readonly request: Sent;
}

/** A request as the detectors of repeated orders remember it. */
export type Sent = RequestLine & Pick<JournalEntry, "receivedAt" | "at" | "enqueued">;
