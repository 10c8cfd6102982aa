import type { Charge } from "../../domain/model/charge.js";
import type { Transfer } from "../../domain/model/transfer.js";
import type { World } from "../../domain/model/work.js";
import { toXof } from "../../domain/values/money.js";
import { msisdnKey } from "../../domain/values/msisdn.js";
import { countBy } from "../../kernel/collections.js";
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
  mask,
} from "./detector.js";
import { FINDINGS_MAX, type FindingRequest } from "./finding.js";
import { lineOf } from "./known-order.js";
import type { Sent } from "./order-kind.js";
import type { JournalEntry } from "../observation/journal.js";
import { RecentMap } from "../../kernel/records/recent-map.js";
import { memberOf } from "../../kernel/messages/json.js";

/** One payout of a request. */
export interface PayoutOrder {
  readonly reference: string;
  readonly msisdn: string;
  readonly amount: number;
  readonly description: unknown;
}

/** The payouts that a request asks for: a single one, or the items of a batch. */
export function payoutsOf({ operation, body }: JournalEntry): readonly PayoutOrder[] {
  if (operation !== "createTransaction" && operation !== "createBatch") return [];
  const bodies = operation === "createBatch" ? itemsOf(body) : [body];
  return bodies.flatMap((order) => {
    const [reference, msisdn, amount] = ["reference", "msisdn", "amount"].map((name) => memberOf(order, name));
    const isOrder = isShort(reference) && isShort(msisdn) && typeof amount === "number";
    const description = memberOf(order, "description");
    return isOrder ? [{ reference, msisdn, amount, description: isShort(description) ? description : undefined }] : [];
  });
}

/** Longer texts are not remembered: thousands of them would fill the memory. */
const TEXT_MAX = 1_000;

export function isShort(text: unknown): text is string {
  return typeof text === "string" && text.length <= TEXT_MAX;
}

/** Equal for payouts of one amount to one recipient, however the number is written. */
export function pairOf({ msisdn, amount }: Pick<PayoutOrder, "msisdn" | "amount">): string {
  return `${msisdnKey(msisdn)} ${amount}`;
}

export function pairOfTransfer({ msisdn, amount }: Transfer): string {
  return pairOf({ msisdn, amount: toXof(amount) });
}

/** Equal for payouts that may be the same: they have one recipient and amount, and do not name different charges. */
export function groupOf(order: PayoutOrder, world: World): string {
  return `${pairOf(order)} ${chargeNamedIn(order, world)?.id}`;
}

/** The charge that the reference or the description names by its id or its externalId (a UUID or one word): `payout-8f3c…`. */
function chargeNamedIn({ reference, description }: PayoutOrder, { charges }: World): Charge | undefined {
  const texts = [reference, description].filter((text) => typeof text === "string");
  const names = texts.flatMap((text) => [...(text.slice(0, REFERENCE_MAX).match(UUIDS) ?? []), ...wordsOf(text)]);
  return names.map((name) => charges.get(name) ?? charges.findBy("externalId", name)).find((charge) => charge);
}

/** The oldest transfer with this reference, if it existed before the request. */
export function findEarlier(
  world: World,
  reference: string,
  { made }: Pick<JournalEntry, "made">,
): Transfer | undefined {
  const oldest = world.transfers.findBy("reference", reference);
  return oldest === undefined || (oldest.seq > made.from && oldest.seq <= made.to) ? undefined : oldest;
}

/** A reference reused for another recipient or amount, whose 409 the client may take for "already paid". Once for each reference and other payout. */
export const referenceReused: Detector = {
  see(entry, scene) {
    if (entry.problem !== "reference_taken" && entry.created.length === 0) return [];
    const within = new Map<string, PayoutOrder>();
    const reused = payoutsOf(entry).flatMap((order) => {
      const first = within.get(order.reference) ?? findEarlier(scene.world, order.reference, entry);
      within.set(order.reference, order);
      return first === undefined || pairOfFirst(first) === pairOf(order) ? [] : [{ first, order }];
    });
    // Describe no more than are kept, the newest: each takes time.
    return reused.slice(-FINDINGS_MAX).map(({ first, order }) => describeReuse(first, order, entry, scene));
  },
};

/** What a reference stood for: an earlier item of the same batch, or a transfer. */
type First = PayoutOrder | Transfer;

function pairOfFirst(first: First): string {
  return "seq" in first ? pairOfTransfer(first) : pairOf(first);
}

function describeReuse(first: First, order: PayoutOrder, entry: JournalEntry, scene: Scene): Detection {
  const { reference, msisdn, amount } = order;
  const madeBy = "seq" in first ? scene.causeOf(first) : undefined;
  const firstAmount = "seq" in first ? toXof(first.amount) : first.amount;
  const taken =
    entry.problem === "reference_taken"
      ? `The 409 says that the reference is taken, not that ${msisdn} was paid: nothing of this request was done.`
      : "Now one reference stands for two payouts, and neither a webhook nor a retry says which of them it is about.";
  return {
    key: `${reference} ${pairOf(order)}`,
    why:
      `The reference ${quote(reference)} stands for ${firstAmount} XOF to ${first.msisdn}, and was used again for ${amount} XOF to ${msisdn} ` +
      `(${entry.id}). ${taken}`,
    requests: [...(madeBy === undefined ? [] : [describeRequest(madeBy, scene)]), describeOrder(entry, order)],
  };
}

/** Batches that are remembered; the oldest are forgotten first. */
const BATCHES_MAX = 200;
/** Longer after a batch on the company's clock, an equal one is the next run and not the same one again. */
const SAME_RUN_MS = 12 * 3_600_000;
/** Comparisons of descriptions for one request, up to 20 µs each. Beyond it, no batch is taken for one sent again. */
const COMPARISONS_MAX = 5_000;

/**
 * A whole batch sent again after a part of it failed: another batch has all recipients and amounts of an accepted one, and its descriptions do not name
 * another run. References cannot show another run, since each attempt needs new ones.
 */
export function createBatchRepeatedDetector(): Detector {
  const batches = new RecentMap<string, SentBatch>(BATCHES_MAX);
  return {
    see(entry, { world }) {
      if (entry.operation !== "createBatch" || entry.created.length === 0) return [];
      const items = payoutsOf(entry).map((order) => ({ ...order, pair: pairOf(order) }));
      const counts = countBy(items, ({ pair }) => pair);
      const { id, at, created } = entry;
      const batch: SentBatch = { id, at, created, first: items[0], counts, request: describeBatch(entry) };
      let comparisonsLeft = COMPARISONS_MAX;
      const found = [...batches.values()].flatMap((before) => {
        const { first } = before;
        if (entry.at - before.at >= SAME_RUN_MS || !holdsAll(counts, before.counts)) return [];
        const transfers = before.created.flatMap((id) => world.transfers.get(id) ?? []);
        const failed = transfers.filter(({ status }) => status === "failed").length;
        const others = transfers.length - failed;
        // One description of another run is enough, since the descriptions of a run are alike.
        const isOfAnotherRun = (item: Item) =>
          first?.pair !== item.pair || comparisonsLeft-- <= 0 || areDescribedAsTwo(first, item);
        if (failed === 0 || others === 0 || items.every(isOfAnotherRun)) return [];
        const why =
          `A batch was sent again as a whole (${entry.id}) after ${failed} of the ${transfers.length} payouts of ${before.id} had failed: ` +
          `the ${others} that had not failed would be paid twice.`;
        return [{ key: `${before.id} ${entry.id}`, why, requests: [before.request, batch.request] }];
      });
      batches.add(entry.id, batch);
      return found;
    },
  };
}

/** A batch that was sent. The body is not kept: it may hold anything in addition to the items. */
interface SentBatch extends Pick<JournalEntry, "id" | "at" | "created"> {
  readonly first: Item | undefined;
  /** How often it has each pair. */
  readonly counts: ReadonlyMap<string, number>;
  readonly request: FindingRequest;
}

function describeBatch(entry: JournalEntry): FindingRequest {
  return { ...describeOrder(entry, {}), summary: `${payoutsOf(entry).length} payouts, answered ${entry.status}` };
}

type Item = PayoutOrder & { readonly pair: string };

/** Whether `all` has each pair at least as often as `wanted`. */
function holdsAll(all: ReadonlyMap<string, number>, wanted: ReadonlyMap<string, number>): boolean {
  return [...wanted].every(([pair, count]) => (all.get(pair) ?? 0) >= count);
}

/** `Salary January` and `Salary February` are two payouts; `Salary` and `Salary, attempt 2` may be one. */
export function areDescribedAsTwo({ description: one }: PayoutOrder, { description: other }: PayoutOrder): boolean {
  return typeof one === "string" && typeof other === "string" && one !== other && nameTwoOrders(one, other);
}

/** Payouts that are remembered; the oldest are forgotten first. Each holds a connection. */
const PAYOUTS_MAX = 200;
/** With how many equal payouts, the newest, a payout is compared. */
const COMPARED_MAX = 5;
const AT_THE_SAME_TIME_MS = 1_000;

interface SentPayout extends Answered {
  readonly order: PayoutOrder;
  readonly entry: Sent;
  /** A key that equal payouts share. */
  readonly group: string;
}

/**
 * Two equal payouts at the same time under different references: one was sent before the other was answered, or two workers sent them within a second, and
 * their references do not name two orders. Withdrawn when one of the references is sent again, because then the client keeps its references. Not reported
 * while there are no more such payouts than charges with a webhook in that second: each payout may be the reaction to one of these.
 */
export function createConcurrentPayoutsDetector(): Detector {
  const sent = new RecentMap<string, SentPayout>(PAYOUTS_MAX);
  const reported = new RecentMap<string, string>(PAYOUTS_MAX);
  const charges = new RecentMap<string, number>(PAYOUTS_MAX);
  return {
    attempting({ resource, resourceKind }, _, { now }) {
      if (resourceKind === "charge") charges.add(resource, now);
      return [];
    },
    see(entry, scene) {
      const { connection, now, world } = scene;
      const since = entry.receivedAt - AT_THE_SAME_TIME_MS;
      const causes = [...charges.values()].filter((sentAt) => sentAt >= since).length;
      return payoutsOf(entry).flatMap((order): readonly Verdict[] => {
        const key = reported.get(order.reference);
        if (key !== undefined) return [{ withdraws: key }];
        if (entry.status >= 300 || entry.fault !== undefined) return [];
        const description = mask(String(order.description), order.reference);
        const current = {
          order,
          entry: lineOf(entry),
          connection,
          answeredAt: now,
          group: `${groupOf(order, world)} ${description}`,
        };
        const equal = [...sent.values()].filter(({ group }) => group === current.group);
        sent.add(`${entry.id} ${order.reference}`, current);
        if (equal.filter((one) => one.entry.receivedAt >= since).length < causes) return [];
        const other = equal
          .slice(-COMPARED_MAX)
          .findLast(
            (one) => areConcurrent(one, current, scene) && !nameTwoOrders(one.order.reference, order.reference),
          );
        if (other === undefined) return [];
        const found = describeConcurrent(other, current);
        for (const { order: shown } of [other, current]) reported.add(shown.reference, found.key);
        return [found];
      });
    },
  };
}

/** Whether `b` was sent before `a` was answered, maybe by a client that no longer waited for the answer, or soon after by a worker that has not read it. */
function areConcurrent(a: SentPayout, b: SentPayout, scene: Scene): boolean {
  if (a.entry.id === b.entry.id || a.order.reference === b.order.reference) return false;
  if (b.entry.receivedAt < a.answeredAt) return true;
  return b.entry.receivedAt - a.entry.receivedAt <= AT_THE_SAME_TIME_MS && isOtherWorker(a, scene);
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

/** How many characters of a text are compared. */
const REFERENCE_MAX = 200;

const UUIDS = /[\da-f]{8}([-_]?)([\da-f]{4}\1){3}[\da-f]{12}/gi;

/** A time after a date, or a number from `Math.random()`. `20260115-000017` does not match: it is an order of that day. */
const TIME =
  /(?<=(?:19|20)\d\d[-_/]?\d\d[-_/]?\d\d|\d\d[-_/]\d\d[-_/](?:19|20)\d\d)[t _-]?(?!00\d{4})(?:[01]\d|2[0-3])([:_.-]?)[0-5]\d\1[0-5]\d(?:\.?\d{3})?z?(?!\d)|0\.\d{5,}/gi;

/** A word, a number, or a word followed by a number, but neither a single letter nor a Unix time in seconds to nanoseconds. */
const OF_AN_ORDER = /^(?!$|\p{L}$|1[5-9]\d{8}(?:\d{3}){0,3}$)(?:\p{L}\p{Ll}*|\p{Lu}+)?\d*$/u;

/** Too short to name an order: `a`, `r2`. */
const LETTER_AND_DIGIT = /^\p{L}\d?$/u;

/** Words that number or name attempts, or name a worker. */
const OF_AN_ATTEMPT =
  /^(?:attempt|retry|try|essai|tentative|run|worker|process|pid|thread|node|pod|host|first|second|third|again|bis|copy|new)\d*$/i;

/**
 * Whether references or descriptions name two orders. The first words in which they differ decide: words and numbers name two orders, unless they number
 * attempts or workers. `order-17` and `order-18` do; `order-17` and `order-17-retry`, or two UUIDs, may name attempts at one order.
 */
export function nameTwoOrders(one: string, other: string): boolean {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  const [word, otherWord] = trimEqualEnds(a, b).map(([first]) => first);
  if (word === undefined || otherWord === undefined) return false;
  const at = a.findIndex((each, index) => each !== b[index]);
  const before = a[at - 1] ?? "";
  if ([before, word, otherWord].some((each) => OF_AN_ATTEMPT.test(each))) return false;
  if ([word, otherWord].some((each) => LETTER_AND_DIGIT.test(each))) return false;
  // In `order-17-2` the last digit may number an attempt, but not in `invoice-2026-2`.
  if (at === a.length - 1 && /^\d$/.test(word) && /[\d*]/.test(before) && !/^(?:19|20)\d\d$/.test(before)) return false;
  const parts = trimEqualEnds(runsOf(word), runsOf(otherWord)).map((runs) => runs.join(""));
  return parts.every((part) => OF_AN_ORDER.test(part));
}

function wordsOf(text: string): readonly string[] {
  const shown = text.slice(0, REFERENCE_MAX).replaceAll(UUIDS, "*").replaceAll(TIME, "*");
  return shown.match(/[\p{L}\d*]+/gu) ?? [];
}

/** `FR1117CI` → `FR`, `1117`, `CI`. */
function runsOf(word: string): readonly string[] {
  return word.match(/\d+|\D+/g) ?? [];
}

/** Returns both lists without the equal elements at their starts and ends. */
function trimEqualEnds(one: readonly string[], other: readonly string[]): readonly (readonly string[])[] {
  const [a, b] = [[...one], [...other]];
  for (; a.length > 0 && a[0] === b[0]; a.shift()) b.shift();
  for (; a.length > 0 && a.at(-1) === b.at(-1); a.pop()) b.pop();
  return [a, b];
}
