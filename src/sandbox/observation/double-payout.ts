import { msisdnKey } from "../../domain/values/msisdn.js";
import type { World } from "../../domain/model/work.js";
import {
  type Detection,
  type Detector,
  RecentMap,
  type RequestLine,
  describeOrder,
  isLost,
  itemsOf,
  memberOf,
} from "./detector.js";
import type { JournalEntry } from "./journal.js";
import { quote } from "../../kernel/messages/text.js";

/** Pairs of recipient and amount that are remembered; the oldest are forgotten first. */
const PAIRS_MAX = 10_000;
/** References that are remembered of each pair. */
const REFERENCES_MAX = 100;
/** How late the sandbox may notice that a client has given up, ms. */
const SEEN_LATE_MS = 1_000;

/**
 * "The same recipient and amount sent again under a *new* reference after an answer was lost or 5xx (a double payout in the making; a 409 in between
 * does not clear it)": to the service another reference is another payout. It is no mistake when the client read a success for the first reference,
 * or when the first transfer failed.
 */
export function createDoublePayoutDetector(): Detector {
  const pairs = new RecentMap<string, Pair>(PAIRS_MAX);

  const pairOf = ({ msisdn, amount }: Order): Pair => {
    const key = `${msisdnKey(msisdn)} ${amount}`;
    return pairs.add(key, pairs.get(key) ?? new RecentMap(REFERENCES_MAX));
  };

  return {
    see: (entry, { world }) =>
      ordersOf(entry).flatMap((order) => {
        const pair = pairOf(order);
        const known = pair.get(order.reference);
        const payout = pair.add(order.reference, known ?? createPayout(order, entry));
        // A new reference repeats the oldest payout whose outcome the client cannot know.
        const first = known === undefined ? findUnknown(pair, entry, world) : undefined;
        noteAnswer(payout, entry);
        return first === undefined ? [] : [describe(first, payout, world)];
      }),
    lost: (entry, { world, now }) =>
      ordersOf(entry).flatMap((order) => {
        const pair = pairOf(order);
        const payout = pair.get(order.reference);
        if (payout === undefined || !noteLoss(payout, entry) || hasFailed(payout, world)) return [];
        const again = findSentMeanwhile(pair, entry, now);
        return again === undefined ? [] : [describe(payout, again, world)];
      }),
  };
}

/** The payouts of one amount to one recipient, by reference. */
type Pair = RecentMap<string, Payout>;

interface Order {
  readonly reference: string;
  readonly msisdn: string;
  readonly amount: number;
}

/** One reference, and whether the client can know its outcome. */
interface Payout {
  readonly order: Order;
  /** Its first request. */
  readonly sent: Sent;
  /** The oldest request of it whose answer was lost or 5xx. */
  unknown: Sent | undefined;
  /** The request whose success the client read. */
  answeredBy: string | undefined;
  /** Whether another reference repeated it: already reported. */
  isRepeated: boolean;
  /** Whether it repeated another: already reported. */
  isRepetition: boolean;
}

type Sent = RequestLine & Pick<JournalEntry, "receivedAt">;

function createPayout(order: Order, entry: JournalEntry): Payout {
  const start = { unknown: undefined, answeredBy: undefined, isRepeated: false, isRepetition: false };
  return { order, sent: lineOf(entry), ...start };
}

/** An answer that a fault broke off is reported as lost next. */
function noteAnswer(payout: Payout, entry: JournalEntry): void {
  if (entry.fault !== undefined) return;
  if (entry.status < 300) payout.answeredBy ??= entry.id;
  else if (entry.status >= 500) payout.unknown ??= lineOf(entry);
}

/** Whether this loss is why the client cannot know the outcome. */
function noteLoss(payout: Payout, entry: JournalEntry): boolean {
  if (payout.answeredBy === entry.id) payout.answeredBy = undefined;
  if (payout.unknown === undefined || payout.unknown.id === entry.id) payout.unknown = lineOf(entry);
  return payout.unknown.id === entry.id && isOpen(payout);
}

/** Whether a new reference would be a second payout. */
function isOpen({ unknown, answeredBy, isRepeated }: Payout): boolean {
  return unknown !== undefined && answeredBy === undefined && !isRepeated;
}

/** The oldest payout of another request whose outcome the client cannot know. A failed transfer may be sent again. */
function findUnknown(pair: Pair, { id }: JournalEntry, world: World): Payout | undefined {
  const open = [...pair.values()].filter(isOpen);
  return oldest(open.filter((payout) => payout.unknown?.id !== id && !hasFailed(payout, world)));
}

/**
 * The client may have given up and sent another request before the sandbox noticed. Requests that came after `entry` but long before now are other
 * payouts: the client still waited for its first answer.
 */
function findSentMeanwhile(pair: Pair, { id, receivedAt }: JournalEntry, now: number): Payout | undefined {
  const since = Math.max(receivedAt, now - SEEN_LATE_MS);
  const isLater = ({ sent, isRepetition }: Payout) => !isRepetition && sent.id !== id && sent.receivedAt > since;
  return oldest([...pair.values()].filter(isLater));
}

function oldest(payouts: readonly Payout[]): Payout | undefined {
  return payouts.toSorted((a, b) => a.sent.receivedAt - b.sent.receivedAt)[0];
}

/** Marks both, so that they are reported once. */
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
