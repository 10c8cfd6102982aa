import { msisdnKey } from "../../domain/values/msisdn.js";
import type { World } from "../../domain/model/work.js";
import { quote } from "../../kernel/text.js";
import { RecentMap } from "../../kernel/recent-map.js";
import {
  type Detection,
  type Detector,
  type RequestLine,
  describeOrder,
  isLost,
  itemsOf,
  memberOf,
} from "./detector.js";
import type { JournalEntry } from "./journal.js";

/** Pairs of recipient and amount that are remembered; those that were paid longest ago are forgotten first. */
const PAIRS_MAX = 10_000;
/** References that are remembered of each. */
const REFERENCES_MAX = 100;
/** How long after a client has given up the sandbox may see it, ms. */
const SEEN_LATE_MS = 1_000;

/**
 * "The same recipient and amount sent again under a *new* reference after an answer was lost or 5xx (a double payout in the making; a 409 in between
 * does not clear it)": to the service another reference is another payout. What clears it is an answer of success to the same reference that the
 * client read, and a first transfer that has failed.
 */
export function createDoublePayoutDetector(): Detector {
  const pairs = new RecentMap<string, Pair>(PAIRS_MAX);

  const pairOf = ({ msisdn, amount }: Order): Pair => {
    const key = `${msisdnKey(msisdn)} ${amount}`;
    return pairs.set(key, pairs.get(key) ?? { payouts: new RecentMap(REFERENCES_MAX), hasUnknown: false });
  };

  return {
    see: (entry, { world }) =>
      ordersOf(entry).flatMap((order) => {
        const pair = pairOf(order);
        const known = pair.payouts.get(order.reference);
        const payout = pair.payouts.set(order.reference, known ?? createPayout(order, entry));
        // Under a new reference: instead of the oldest of which the client cannot know.
        const first = known === undefined ? findUnknown(pair, entry, world) : undefined;
        noteAnswer(payout, entry);
        pair.hasUnknown ||= isOpen(payout);
        return first === undefined ? [] : [describe(first, payout, world)];
      }),
    lost: (entry, { world, now }) =>
      ordersOf(entry).flatMap((order) => {
        const pair = pairOf(order);
        const payout = pair.payouts.get(order.reference);
        if (payout === undefined || !noteLoss(payout, entry) || hasFailed(payout, world)) return [];
        pair.hasUnknown = true;
        const again = findSentMeanwhile(pair, entry, now);
        return again === undefined ? [] : [describe(payout, again, world)];
      }),
  };
}

/** The payouts of one amount to one recipient, by reference. */
interface Pair {
  readonly payouts: RecentMap<string, Payout>;
  /** Whether the client may not know of one of them: nearly never. */
  hasUnknown: boolean;
}

interface Order {
  readonly reference: string;
  readonly msisdn: string;
  readonly amount: number;
}

/** What is known of one reference: whether the client can know what became of it. */
interface Payout {
  readonly order: Order;
  /** Its first request. */
  readonly sent: Sent;
  /** The oldest request of it whose answer was lost or 5xx. */
  unknown: Sent | undefined;
  /** The request whose answer of success the client read: it knows. */
  answeredBy: string | undefined;
  /** Whether it was sent again under another reference after its oldest such request: that has been found. */
  isRepeated: boolean;
  /** Whether it was itself sent instead of another: that has been found. */
  isRepetition: boolean;
}

type Sent = RequestLine & Pick<JournalEntry, "receivedAt">;

function createPayout(order: Order, entry: JournalEntry): Payout {
  const start = { unknown: undefined, answeredBy: undefined, isRepeated: false, isRepetition: false };
  return { order, sent: lineOf(entry), ...start };
}

/** Of an answer that a fault broke off it is told next that it is lost. */
function noteAnswer(payout: Payout, entry: JournalEntry): void {
  if (entry.fault !== undefined) return;
  if (entry.status < 300) payout.answeredBy ??= entry.id;
  else if (entry.status >= 500) payout.unknown ??= lineOf(entry);
}

/** Whether the client cannot know because of it. */
function noteLoss(payout: Payout, entry: JournalEntry): boolean {
  if (payout.answeredBy === entry.id) payout.answeredBy = undefined;
  if (payout.unknown === undefined || payout.unknown.id === entry.id) payout.unknown = lineOf(entry);
  return payout.unknown.id === entry.id && isOpen(payout);
}

/** Whether a new reference would be a second payout. */
function isOpen({ unknown, answeredBy, isRepeated }: Payout): boolean {
  return unknown !== undefined && answeredBy === undefined && !isRepeated;
}

/** The oldest of another request of which the client cannot know. One that has failed is rightly sent anew. */
function findUnknown(pair: Pair, { id }: JournalEntry, world: World): Payout | undefined {
  if (!pair.hasUnknown) return undefined;
  const open = [...pair.payouts.values()].filter(isOpen);
  pair.hasUnknown = open.length > 0;
  return oldest(open.filter((payout) => payout.unknown?.id !== id && !hasFailed(payout, world)));
}

/**
 * The client may have given up, and sent it again, before the sandbox saw that it had, a moment later. What came after `entry` and long before that
 * is another payout: its client still waited for the first answer.
 */
function findSentMeanwhile({ payouts }: Pair, { id, receivedAt }: JournalEntry, now: number): Payout | undefined {
  const since = Math.max(receivedAt, now - SEEN_LATE_MS);
  const isLater = ({ sent, isRepetition }: Payout) => !isRepetition && sent.id !== id && sent.receivedAt > since;
  return oldest([...payouts.values()].filter(isLater));
}

function oldest(payouts: readonly Payout[]): Payout | undefined {
  return payouts.toSorted((a, b) => a.sent.receivedAt - b.sent.receivedAt)[0];
}

/** `again` was sent instead of `first`: found once. */
function describe(first: Payout, again: Payout, world: World): Detection {
  const { reference, amount, msisdn } = first.order;
  const before = first.unknown ?? first.sent;
  first.isRepeated = true;
  again.isRepetition = true;
  const what = isLost(before) ? "whose answer was lost" : `which was answered ${before.status}`;
  const wasDone = world.transfers.findBy("reference", reference) !== undefined;
  const work = wasDone ? "after the work was done" : "and was not done this time, which the client could not know";
  return {
    key: `${reference} ${again.order.reference}`,
    why:
      `${amount} XOF to ${msisdn} would have been paid twice: first under reference ${quote(reference)} (${before.id}, ${what} ${work}), ` +
      `again under reference ${quote(again.order.reference)} (${again.sent.id}). To the service another reference is another payout.`,
    fix:
      `Keep the reference of a payout, and send that same reference again (${quote(reference)}) until an answer comes: a 409 then says that the ` +
      "first request got through. Wait for its webhook, or look it up, instead of paying anew. A new reference is right only once the first " +
      "transfer is known to have failed.",
    requests: [describeOrder(before, first.order), describeOrder(again.sent, again.order)],
  };
}

function hasFailed({ order }: Payout, { transfers }: World): boolean {
  return transfers.findBy("reference", order.reference)?.status === "failed";
}

function lineOf({ id, method, path, status, fate, fault, receivedAt }: JournalEntry): Sent {
  return { id, method, path, status, fate, fault, receivedAt };
}

function ordersOf({ operation, body }: JournalEntry): readonly Order[] {
  if (operation !== "createTransaction" && operation !== "createBatch") return [];
  const bodies = operation === "createBatch" ? itemsOf(body) : [body];
  return bodies.flatMap((order) => {
    const [reference, msisdn, amount] = ["reference", "msisdn", "amount"].map((name) => memberOf(order, name));
    const isOrder = typeof reference === "string" && typeof msisdn === "string" && typeof amount === "number";
    return isOrder ? [{ reference, msisdn, amount }] : [];
  });
}
