import type { Transfer } from "../../domain/model/transfer.js";
import type { World } from "../../domain/model/work.js";
import { toXof } from "../../domain/values/money.js";
import { msisdnKey } from "../../domain/values/msisdn.js";
import { quote } from "../../kernel/messages/text.js";
import {
  type Answered,
  type Detection,
  type Detector,
  type Scene,
  type Verdict,
  describeOrder,
  describeRequest,
  itemsOf,
  isOtherWorker,
} from "./detector.js";
import type { JournalEntry } from "./journal.js";
import { RecentMap } from "../../kernel/records/recent-map.js";
import { memberOf } from "../../kernel/messages/json.js";

/** One payout of a request. */
export interface PayoutOrder {
  readonly reference: string;
  readonly msisdn: string;
  readonly amount: number;
  readonly description: unknown;
}

/** The payouts that a request asks for, alone or in a batch. */
export function payoutsOf({ operation, body }: JournalEntry): readonly PayoutOrder[] {
  if (operation !== "createTransaction" && operation !== "createBatch") return [];
  const bodies = operation === "createBatch" ? itemsOf(body) : [body];
  return bodies.flatMap((order) => {
    const [reference, msisdn, amount] = ["reference", "msisdn", "amount"].map((name) => memberOf(order, name));
    const isOrder = typeof reference === "string" && typeof msisdn === "string" && typeof amount === "number";
    return isOrder ? [{ reference, msisdn, amount, description: memberOf(order, "description") }] : [];
  });
}

/** Equal for payouts of one amount to one recipient, however the number is written. */
export function pairOf({ msisdn, amount }: Pick<PayoutOrder, "msisdn" | "amount">): string {
  return `${msisdnKey(msisdn)} ${amount}`;
}

export function pairOfTransfer({ msisdn, amount }: Transfer): string {
  return pairOf({ msisdn, amount: toXof(amount) });
}

/** The oldest transfer with this reference that was there before the request. */
export function findEarlier(
  world: World,
  reference: string,
  { created }: Pick<JournalEntry, "created">,
): Transfer | undefined {
  const oldest = world.transfers.findBy("reference", reference);
  return oldest === undefined || created.includes(oldest.id) ? undefined : oldest;
}

/** "A reference reused for another payee or amount (409 taken for "already paid")". Once for each reference and what it was reused for. */
export const referenceReused: Detector = {
  see(entry, scene) {
    if (entry.problem !== "reference_taken" && entry.created.length === 0) return [];
    const within = new Map<string, PayoutOrder>();
    return payoutsOf(entry).flatMap((order) => {
      const first = within.get(order.reference) ?? orderOf(findEarlier(scene.world, order.reference, entry), scene);
      within.set(order.reference, order);
      return first === undefined || pairOf(first) === pairOf(order) ? [] : [describeReuse(first, order, entry, scene)];
    });
  },
};

type First = Pick<PayoutOrder, "msisdn" | "amount"> & { readonly madeBy?: JournalEntry | undefined };

function orderOf(transfer: ReturnType<typeof findEarlier>, scene: Scene): First | undefined {
  if (transfer === undefined) return undefined;
  const { msisdn } = transfer;
  return { msisdn, amount: Number(pairOfTransfer(transfer).split(" ")[1]), madeBy: scene.causeOf(transfer) };
}

function describeReuse(first: First, order: PayoutOrder, entry: JournalEntry, scene: Scene): Detection {
  const { reference, msisdn, amount } = order;
  const taken =
    entry.problem === "reference_taken"
      ? `The 409 says that the reference is taken, not that ${msisdn} was paid: nothing of this request was done.`
      : "Now one reference stands for two payouts, and neither a webhook nor a retry says which of them it is about.";
  return {
    key: `${reference} ${pairOf(order)}`,
    why:
      `The reference ${quote(reference)} stands for ${first.amount} XOF to ${first.msisdn}, and was used again for ${amount} XOF to ${msisdn} ` +
      `(${entry.id}). ${taken}`,
    requests: [
      ...(first.madeBy === undefined ? [] : [describeRequest(first.madeBy, scene)]),
      describeOrder(entry, order),
    ],
  };
}

/** Batches that are remembered; the oldest are forgotten first. */
const BATCHES_MAX = 200;
/** Later on the company's clock, an equal batch is the next run, not the same one again. */
const SAME_RUN_MS = 12 * 3_600_000;

/**
 * "The whole batch sent again after a part of it failed": all recipients and amounts of an accepted batch, in another one, with nothing in their
 * descriptions that names another run. References do not show one: each attempt needs new ones.
 */
export function createBatchRepeatedDetector(): Detector {
  const batches = new RecentMap<string, { readonly entry: JournalEntry; readonly items: readonly Item[] }>(BATCHES_MAX);
  return {
    see(entry, { world }) {
      if (entry.operation !== "createBatch" || entry.created.length === 0) return [];
      const items = payoutsOf(entry).map((order) => ({ ...order, pair: pairOf(order) }));
      const found = [...batches.values()].flatMap(({ entry: before, items: earlier }) => {
        if (entry.at - before.at >= SAME_RUN_MS || !holdsAll(items, earlier)) return [];
        const transfers = before.created.flatMap((id) => world.transfers.get(id) ?? []);
        const failed = transfers.filter(({ status }) => status === "failed").length;
        const others = transfers.length - failed;
        if (failed === 0 || others === 0 || isAnotherRun(earlier, items)) return [];
        const why =
          `A batch was sent again as a whole (${entry.id}) after ${failed} of the ${transfers.length} payouts of ${before.id} had failed: ` +
          `the ${others} that had not failed would be paid twice.`;
        return [{ key: `${before.id} ${entry.id}`, why, requests: [before, entry].map(describeBatch) }];
      });
      batches.add(entry.id, { entry, items });
      return found;
    },
  };
}

function describeBatch(entry: JournalEntry) {
  return { ...describeOrder(entry, {}), summary: `${payoutsOf(entry).length} payouts, answered ${entry.status}` };
}

type Item = PayoutOrder & { readonly pair: string };

/** Each as often as there. */
function holdsAll(all: readonly Item[], wanted: readonly Item[]): boolean {
  const left = [...all];
  return wanted.every((item) => {
    const at = left.findIndex(({ pair }) => pair === item.pair);
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
}

/** By the description of one item: those of a run are alike. */
function isAnotherRun([first]: readonly Item[], items: readonly Item[]): boolean {
  return items.every((item) => first?.pair !== item.pair || areDescribedAsTwo(first, item));
}

/** `Salary January` and `Salary February` are two payouts; `Salary` and `Salary, attempt 2` may be one. */
export function areDescribedAsTwo({ description: one }: PayoutOrder, { description: other }: PayoutOrder): boolean {
  return typeof one === "string" && typeof other === "string" && one !== other && nameTwoOrders(one, other);
}

/** Payouts that are remembered; the oldest are forgotten first. Each holds a connection. */
const PAYOUTS_MAX = 200;
/** A payout is compared with so many equal ones. */
const COMPARED_MAX = 5;
const AT_THE_SAME_TIME_MS = 1_000;

interface SentPayout extends Answered {
  readonly order: PayoutOrder;
  readonly entry: JournalEntry;
  /** The same for equal payouts. */
  readonly group: string;
}

/**
 * "Two equal payouts at the same time under different references": one was sent before the other was answered, or two workers sent them within a second.
 * Their references differ only in what is drawn or names the worker, so nothing says that they are two orders. Withdrawn when one of the references is
 * sent again: then they are kept.
 */
export function createConcurrentPayoutsDetector(): Detector {
  const sent = new RecentMap<string, SentPayout>(PAYOUTS_MAX);
  const reported = new RecentMap<string, string>(PAYOUTS_MAX);
  return {
    see(entry, scene) {
      const { connection, now } = scene;
      return payoutsOf(entry).flatMap((order): readonly Verdict[] => {
        const key = reported.get(order.reference);
        if (key !== undefined) return [{ withdraws: key }];
        if (entry.status >= 300 || entry.fault !== undefined) return [];
        const description = String(order.description).replaceAll(order.reference, "*");
        const current = { order, entry, connection, answeredAt: now, group: `${pairOf(order)} ${description}` };
        const equal = [...sent.values()].filter(({ group }) => group === current.group).slice(-COMPARED_MAX);
        sent.add(`${entry.id} ${order.reference}`, current);
        const other = equal.findLast((one) => areConcurrent(one, current, scene) && differInDrawn(one, current));
        if (other === undefined) return [];
        const found = describeConcurrent(other, current);
        for (const { order: shown } of [other, current]) reported.add(shown.reference, found.key);
        return [found];
      });
    },
  };
}

/** Sent before the other was answered, by a client that may no longer wait for it; or soon after, by a worker that has not read that answer. */
function areConcurrent(a: SentPayout, b: SentPayout, scene: Scene): boolean {
  if (a.entry.id === b.entry.id || a.order.reference === b.order.reference) return false;
  if (b.entry.receivedAt < a.answeredAt) return true;
  return b.entry.receivedAt - a.entry.receivedAt <= AT_THE_SAME_TIME_MS && isOtherWorker(a, scene);
}

/** Their references differ only in what is drawn or names a worker. */
function differInDrawn(
  { order: { reference: one } }: SentPayout,
  { order: { reference: other } }: SentPayout,
): boolean {
  if (Math.max(one.length, other.length) > REFERENCE_MAX) return false;
  const [a, b] = maskBoth(one, other);
  return a === b;
}

function describeConcurrent(a: SentPayout, b: SentPayout): Detection {
  const { msisdn, amount } = b.order;
  return {
    key: `${a.order.reference} ${b.order.reference}`,
    why:
      `${amount} XOF to ${msisdn} were paid twice at the same time: under reference ${quote(a.order.reference)} (${a.entry.id}) and ` +
      `${quote(b.order.reference)} (${b.entry.id}). The references differ only in random parts: two workers may have paid one order, or a client that ` +
      "no longer waited for the first answer.",
    requests: [a, b].map(({ entry, order }) => describeOrder(entry, order)),
  };
}

/** Joins patterns, in any case. */
const anyOf = (...patterns: readonly RegExp[]): RegExp =>
  new RegExp(patterns.map(({ source }) => source).join("|"), "gi");

/** A UUID, or PHP's `uniqid("", true)`. */
const UUID = /[\da-f]{8}(?:[-_]?[\da-f]{4}){3}[-_]?[\da-f]{12}|(?<![\da-z])[\da-f]{13,14}\.\d{8}(?!\d)/gi;

/** What is drawn for each attempt, and what names a worker or an attempt. */
const DRAWN = anyOf(
  /(?<!\d)1[5-9]\d{11}(?!\d)(?:[-_.]\d+)?/, // the time in milliseconds, also with a random number
  /(?<=\d{4}[-_]\d\d[-_]\d\d)[t _-]\d\d[:._-]?\d\d(?:[:._-]?\d\d(?:\.\d+)?)?z?/, // a time of day
  /(?<!\d)\d\d:\d\d:\d\d(?!\d)/,
  /(?<=(?:19|20)\d{6}[t _-])(?!0000)(?:[01]\d|2[0-3])[0-5]\d[0-5]\d(?!\d)/, // `20260115-100003`, but not the order `20260115-000017`
  /(?<![a-z])(?:attempt|(?:re-?)?try|essai|tentative)[ #:._-]{1,3}(?:n[°o][ .]?)?\d+/, // `attempt 2`, `essai n°2`
  /\d+(?:st|nd|rd|th|er|[eè](?:re|me)|e)[ -](?:attempt|try|essai|tentative)/, // `2nd attempt`
  /(?<![a-z])(?:w|worker|attempt|try|pid|process|thread|instance|node|pod|host)[-_.:]?[\da-z]+/,
  /(?<![\w-])(?=[\w-]*[a-z]\d+[a-z])[\w-]{21,22}(?![\w-])/, // a nanoid, or a UUID in base64url
  /(?=[\da-z]*(?:\d[a-z]+\d|[a-z]\d+[a-z]))[\da-z]{8,}/, // random letters and digits
  /\d{9,}(?:\.\d+)?/, // the time in milliseconds, or in seconds with a fraction
  /0\.\d{5,}/, // Math.random()
);

/** What names an attempt where orders are named, too. */
const OF_AN_ATTEMPT = anyOf(
  /^[a-z]\d{1,2}$/,
  /(?<![\da-z])(?=[\da-z]*(?:\d[a-z]+\d|[a-z]\d+[a-z]))[\da-z]{5,7}(?![\da-z])/, // a short random text
  /(?<![a-z])(?:first|second|third|again|retry|bis|copy|new|[a-z])(?![a-z])/,
  /(?<=(?<![a-z])(?:run|key|salary|withdrawal|pay(?:ment|out)?|transfer|transaction|txn?|ref(?:erence)?|req(?:uest)?)(?:[-_.:][a-z]+)?[-_.:]?)\d{1,2}(?!\d)/,
  /(?<=\d\D+)(?<!(?:19|20)\d\d\D)\d\)?$/, // `order-17-2`, but not `invoice-2026-2`
);

/** The time of the patterns grows with the square of the length. */
const REFERENCE_MAX = 200;

function maskDrawn(reference: string): string {
  return reference.replaceAll(DRAWN, "*").toLowerCase();
}

/** `order-17` and `order-18` name two orders; `order-17` and `order-17-retry`, or two UUIDs, may name attempts at one. */
export function nameTwoOrders(one: string, other: string): boolean {
  const [short = "", long = ""] = maskBoth(one, other)
    .map((reference) => reference.replaceAll(OF_AN_ATTEMPT, "*"))
    .toSorted((a, b) => a.length - b.length);
  // More digits make it another number: `order-1` and `order-17`.
  const isPrefix = long.startsWith(short) && !/\d{2}/.test(short.slice(-1) + long.charAt(short.length));
  const isSuffix = long.endsWith(short) && !/\d{2}/.test(long.charAt(long.length - short.length - 1) + short.charAt(0));
  return !isPrefix && !isSuffix;
}

/** Replaces what is drawn in both, or names a worker. */
function maskBoth(one: string, other: string): readonly string[] {
  const [a = "", b = ""] = [one, other].map((reference) => reference.slice(0, REFERENCE_MAX).replaceAll(UUID, "*"));
  return differInDrawnText(a, b) ? ["*", "*"] : maskDrawnWords(a, b).map(maskDrawn);
}

/** Two texts of base64 or of nanoid, which hold separators: all that differs is mixed, and as long. */
function differInDrawnText(one: string, other: string): boolean {
  if (one === other || one.length !== other.length) return false;
  let [from, to] = [0, one.length];
  while (one[from] === other[from]) from += 1;
  while (one[to - 1] === other[to - 1]) to -= 1;
  const parts = [one, other].map((text) => text.slice(from, to));
  // `17-…` and `18-…` are two orders.
  const areMixed = parts.every((part) => /^(?!\d+[^\dA-Za-z])(?=.*[a-z])(?=.*[A-Z])[\w+/=-]{8,}$/.test(part));
  return areMixed && countTurns(parts.join(" ")) >= TURNS_MIN;
}

/** Replaces the words of both that are drawn: in the same place, about as long, and mixed: `7f3a9c` and `b210e8`. */
function maskDrawnWords(one: string, other: string): readonly string[] {
  const [a, b] = [one, other].map((text) => text.split(/([^\da-z]+)/i));
  if (a?.length !== b?.length) return [one, other];
  const isDrawn = (word: string, index: number) => {
    const second = b?.[index] ?? "";
    let equal = 0;
    for (let place = 0; place < word.length; place += 1) if (word[place] === second[place]) equal += 1;
    return (
      Math.min(word.length, second.length) >= 5 &&
      Math.abs(word.length - second.length) <= 1 &&
      equal * 2 < word.length &&
      countTurns(`${word} ${second}`) >= TURNS_MIN
    );
  };
  const drawn = new Set(a?.flatMap((word, index) => (isDrawn(word, index) ? [index] : [])));
  return [a, b].map((words = []) => words.map((word, index) => (drawn.has(index) ? "*" : word)).join(""));
}

const TURNS_MIN = 3;

/** How often letters follow digits, digits letters, and capital letters small ones: rarely in what people write. */
function countTurns(text: string): number {
  return text.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)|[a-z](?=[A-Z])/g)?.length ?? 0;
}
