import type { Delivery } from "../../domain/model/delivery.js";
import { RecentMap } from "../../kernel/records/recent-map.js";
import type { Instant } from "../../kernel/time/instant.js";
import type { JournalEntry } from "../observation/journal.js";

/** Webhooks whose attempts are remembered; those that were sent longest ago are forgotten first. */
const WEBHOOKS_MAX = 200;
/** How many attempts of each webhook are remembered; the oldest are forgotten first. */
const COPIES_MAX = 20;
/** For how long after it acknowledged a webhook a client's request may be the reaction to it: real time, ms. */
const REACTION_MS = 1_000;
/** How much more time the client may take for its reaction to the second copy of a webhook than to the first: real time, ms. */
const LONGER_MS = 100;

/** When a request arrived: real time, and the company's time. */
type ReactionTimes = Pick<JournalEntry, "receivedAt" | "at">;

/** One event to one URL. */
export interface SentWebhook {
  /** The newest delivery of the event: the original, or a copy. */
  readonly delivery: Delivery;
  /** Its attempts and those of its copies. */
  readonly copies: readonly SentCopy[];
}

interface SentCopy {
  /** The company's time. */
  readonly at: Instant;
  /** Real time, ms. */
  readonly from: number;
  /** Real time of the answer, ms; infinite until it came. */
  to: number;
}

/** The attempts of the webhooks that were sent most recently. */
export class WebhookCopies {
  readonly #webhooks = new RecentMap<string, SentWebhook>(WEBHOOKS_MAX);

  /** `at`: the company's time; `now`: real time, ms. */
  begin(delivery: Delivery, at: Instant, now: number): void {
    const key = keyOf(delivery);
    const copies = [...(this.#webhooks.get(key)?.copies ?? []), { at, from: now, to: Number.POSITIVE_INFINITY }];
    this.#webhooks.add(key, { delivery, copies: copies.slice(-COPIES_MAX) });
  }

  /** Notes that the newest attempt was answered. `now`: real time, ms. */
  end(delivery: Delivery, now: number): void {
    const copy = this.#webhooks.get(keyOf(delivery))?.copies.at(-1);
    if (copy !== undefined) copy.to = now;
  }

  /** The webhooks to which a request may be the client's reaction. */
  causesOf(request: ReactionTimes): readonly SentWebhook[] {
    return [...this.#webhooks.values()].filter((webhook) => isReactionTo(request, webhook));
  }
}

function keyOf({ url, eventId }: Delivery): string {
  return `${url} ${eventId}`;
}

/** Whether a request may be the client's reaction to this copy of a webhook: it came soon, and the company's clock was not moved in between. */
function isReaction({ receivedAt, at }: ReactionTimes, copy: SentCopy, afterMs: number): boolean {
  const isSoon = receivedAt >= copy.from && receivedAt <= copy.to + afterMs;
  return isSoon && at - copy.at <= receivedAt - copy.from + afterMs;
}

export function isReactionTo(sent: ReactionTimes, { copies }: SentWebhook): boolean {
  return copies.some((copy) => isReaction(sent, copy, REACTION_MS));
}

/** Whether one of these webhooks may have caused the first request, and a later copy of it the second request. */
export function haveOneCause(causes: readonly SentWebhook[], first: ReactionTimes, again: ReactionTimes): boolean {
  return causes.some(({ copies }) => {
    const copy = copies.findLast(({ from }) => again.receivedAt >= from);
    if (copy === undefined) return false;
    // When one copy follows another at once, the reaction to the first may come while the second is on its way. After the answer to the second it proves
    // nothing: a worker that pays for each copy then looks like a test suite that makes two equal payouts.
    if (first.receivedAt > copy.to) return false;
    return copies.some((earlier) => {
      if (earlier.from >= copy.from || !isReaction(first, earlier, REACTION_MS)) return false;
      // A client reacts to each copy after about the same time.
      return isReaction(again, copy, Math.max(0, first.receivedAt - earlier.to) + LONGER_MS);
    });
  });
}
