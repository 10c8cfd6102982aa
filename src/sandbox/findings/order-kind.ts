import type { Delivery } from "../../domain/model/delivery.js";
import type { World } from "../../domain/model/work.js";
import type { JournalEntry } from "../observation/journal.js";
import type { Detection, RequestLine, Scene } from "./detector.js";

/** What a request asks for. Orders of one group and amount are the same but for their references. */
export interface Order {
  readonly group: string;
  readonly reference: string;
  readonly amount: unknown;
}

/** What a read or an acknowledged webhook has shown. */
export interface Proof {
  readonly group: string;
  /** Undefined: of all orders of the group. */
  readonly reference?: string;
  /** That the order was accepted; how it ended; or what is left to do, so that all orders until now are settled. */
  readonly shows: "acceptance" | "outcome" | "everything";
}

/** Why an order counts as repeated: the outcome of the first was unknown, or both are reactions to one webhook that came twice. */
export type Cause = "unknown" | "webhook";

/** What a detector of repeated orders must know of them. */
export interface OrderKind<O extends Order> {
  readonly ordersOf: (entry: JournalEntry, scene: Scene) => readonly O[];
  /** The first one has failed for good, so a new reference is right. */
  readonly hasFailed: (order: O, world: World) => boolean;
  /** What a 409 says of this order: that it was done before, and another reference would do it twice; or that all is well. */
  readonly conflictOf: (order: O, entry: JournalEntry, scene: Scene) => "done" | "settled" | undefined;
  readonly provenBy: (shown: JournalEntry | Delivery, scene: Scene) => Proof | undefined;
  /** Their references name two orders. Otherwise they may name two attempts at one. */
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
