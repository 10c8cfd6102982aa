import { type Change, type ChangedPlace, isSameChange, patternOf } from "../application/change.js";
import type { Schedule } from "../application/schedule.js";
import type { StateSource } from "../application/state-reader.js";

interface Effects {
  /** The change by both events in their order. */
  readonly expected: Change;
  /** The change by the event that happened first, alone. */
  readonly earlierAlone: Change;
  /** The change by the event that happened later, alone. */
  readonly laterAlone: Change;
}

/**
 * Whether the change by two events in reverse order is right even where it differs from their change in order: a place that the later event does not touch
 * may stay as if the earlier one had never come. An order whose refund came before its payment need not be shipped.
 */
export function isRightInReverse(change: Change, { expected, earlierAlone, laterAlone }: Effects): boolean {
  const [actual, right, earlier, later] = [change, expected, earlierAlone, laterAlone].map(textsOf);
  const places = new Set([...(actual?.keys() ?? []), ...(right?.keys() ?? [])]);
  return [...places].every((place) => {
    const [is, should] = [actual?.get(place), right?.get(place)];
    return is === should || (should === earlier?.get(place) && is === later?.get(place));
  });
}

/** Whether only the event that comes first counts: in order the later one changes nothing, although it does alone. */
export function isFirstEventOnly(change: Change, { expected, earlierAlone, laterAlone }: Effects): boolean {
  return laterAlone.length > 0 && isSameChange(expected, earlierAlone) && isSameChange(change, laterAlone);
}

function textsOf(change: Change): ReadonlyMap<string, string> {
  return new Map(change.map((changed) => [changed.place, JSON.stringify(changed)]));
}

/** Names of goods that cannot be taken back. */
const GOODS = /ship|deliver|dispatch|fulfil|release|parcel|goods|unlock|activat|exp[eé]di|livr/i;
const STOCK = /stock|inventory|seats|available/i;
/** Values which say that the goods have not left. */
const KEPT = /^(no|none|null|false|pending|waiting|open|due|cancel.*|return.*|held|blocked|(not|un|non).*)$/i;

interface Shipping {
  readonly source: StateSource;
  /** What a payment changes in an ordinary history, shipping included. */
  readonly paid: Change;
}

/** Describes an order that is shipped although its refund has come. Names and values show what is shipped. Undefined when nothing is. */
export function describeShipped(
  schedule: Schedule,
  effects: readonly Change[],
  shipping: Shipping,
): string | undefined {
  const [later, earlier] = schedule;
  if (effects.length !== 2 || later?.step !== "refunded" || earlier?.step !== "paid") return undefined;
  const [atRefund = [], atPayment = []] = effects;
  return (
    describeShipping(atRefund, "when the refund comes before the payment", shipping) ??
    describeShipping(atPayment, "when the payment comes after the refund", shipping)
  );
}

/** Describes a change that ships goods as a payment does. Undefined when there is none. */
export function describeShipping(change: Change, when: string, { source, paid }: Shipping): string | undefined {
  const given = typeof source === "string" ? source : "";
  const shipped = change.find(
    (changed) =>
      isShipped(changed, given) && paid.some((other) => isShipped(other, given) && isSameShipping(changed, other)),
  );
  if (shipped === undefined) return undefined;
  return `${shipped.place === "" ? "the value" : shipped.place} changes ${when}: a refunded order is shipped`;
}

/** Whether what changed is goods, by its names or its words, and nothing else: a refund need not change that. */
export function showsOnlyGoods(change: Change, source: StateSource): boolean {
  const given = typeof source === "string" ? source : "";
  return change.every((changed) => {
    const name = /[a-z]/i.test(changed.place) ? changed.place : given;
    const text = "to" in changed && typeof changed.to === "string" ? changed.to : "";
    return GOODS.test(name) || STOCK.test(name) || GOODS.test(text);
  });
}

function isSameShipping(one: ChangedPlace, other: ChangedPlace): boolean {
  if (patternOf(one) !== patternOf(other)) return false;
  if ("plus" in one || "plus" in other) return "plus" in one === "plus" in other;
  const areWords = [one.to, other.to].every((to) => typeof to === "string" && !/\d/.test(to));
  return !areWords || one.to === other.to;
}

function isShipped(changed: ChangedPlace, source: string): boolean {
  const name = changed.place === "" ? source : changed.place;
  if ("plus" in changed) return changed.plus > 0 ? GOODS.test(name) : STOCK.test(name);
  const { to } = changed;
  if (typeof to === "string" && (to === "" || KEPT.test(to))) return false;
  if (typeof to === "string" && GOODS.test(to)) return true;
  return GOODS.test(name) && to !== undefined && to !== null && to !== false;
}
