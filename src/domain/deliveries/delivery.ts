import type { Instant } from "../../kernel/instant.js";
import type { Row } from "../../kernel/table.js";

/** `failed`: a rule dropped it. `exhausted`: no retry is left. `cancelled`: its subscription was deleted. */
export type DeliveryStatus = "pending" | "succeeded" | "failed" | "exhausted" | "cancelled";

/** One event owed to one subscription. */
export interface Delivery extends Row {
  readonly id: string;
  readonly createdAt: Instant;
  readonly eventId: string;
  readonly subscriptionId: string;
  /** In the subscriber's spelling. */
  readonly topic: string;
  readonly url: string;
  /** The id of the charge or transaction, without the prefix of the wire. */
  readonly resource: string;
  readonly resourceKind: "charge" | "transaction";
  /** The exact text of every attempt's body: what is signed is what is sent. */
  readonly body: string;
  /** 0; 1 and up for what a rule sends once more. */
  readonly copy: number;
  /** Its place in the order in which first attempts are made: its own, or a later one when a rule held it back. */
  readonly turn: number;
  /** What a rule does to every attempt of it; null: nothing. */
  readonly effect: WireEffect | null;
  readonly status: DeliveryStatus;
  /** When the next attempt is due; null when none is planned. */
  readonly nextAttemptAt: Instant | null;
  readonly attempts: readonly Attempt[];
}

/** The signature is that of the whole body, unless it is corrupted. */
export interface WireEffect {
  readonly corruptSignature: boolean;
  /** How many bytes of the body are sent; null: all. */
  readonly truncate: number | null;
}

export type Headers = Readonly<Record<string, string>>;

/** What an attempt to deliver came to. A value with a reason, never an exception. */
export interface Attempt {
  /** The company's time when it began. */
  readonly at: Instant;
  /** The HTTP status; null when no answer came. */
  readonly status: number | null;
  /** Real time, ms. */
  readonly latencyMs: number;
  /** Why it counts as failed; null when it succeeded ("a 2xx status to confirm receipt"). */
  readonly error: string | null;
  readonly requestHeaders: Headers;
  /** Null when no answer came. The body is cut at 4 KiB. */
  readonly response: { readonly headers: Headers; readonly body: string } | null;
}

/** Events of one resource go to one receiver in order: a receiver is the origin of a URL. */
export function receiverOf(url: string): string {
  return new URL(url).origin;
}
