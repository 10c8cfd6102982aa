import type { Change, ChangedPlace } from "../application/change.js";
import type { Schedule } from "../application/schedule.js";
import type { StateSource } from "../application/state-reader.js";

interface Effects {
  /** Of both events in their order. */
  readonly expected: Change;
  /** Of the event that happened first, alone. */
  readonly earlierAlone: Change;
  /** Of the one that happened later, alone. */
  readonly laterAlone: Change;
}

/**
 * Whether a change by two events in reverse order is right, though another than in their order: what the later event does not touch may stay as if the
 * earlier one had never come. An order whose refund came before its payment need not be shipped.
 */
export function isRightInReverse(change: Change, { expected, earlierAlone, laterAlone }: Effects): boolean {
  const [actual, right, earlier, later] = [change, expected, earlierAlone, laterAlone].map(textsOf);
  const places = new Set([...(actual?.keys() ?? []), ...(right?.keys() ?? [])]);
  return [...places].every((place) => {
    const [is, should] = [actual?.get(place), right?.get(place)];
    return is === should || (should === earlier?.get(place) && is === later?.get(place));
  });
}

function textsOf(change: Change): ReadonlyMap<string, string> {
  return new Map(change.map((changed) => [changed.place, JSON.stringify(changed)]));
}

/** What names goods that cannot be taken back. */
const GOODS = /ship|deliver|dispatch|fulfil|release|parcel|exp[eé]di|livr/i;
const STOCK = /stock|inventory/i;

/** An order that is shipped after its refund has come, in words. What is shipped is known by its name. */
export function describeShipped(
  source: StateSource,
  schedule: Schedule,
  effects: readonly Change[],
): string | undefined {
  const [later, earlier] = schedule;
  if (effects.length !== 2 || later?.step !== "refunded" || earlier?.step !== "paid") return undefined;
  const shipped = effects[1]?.find((changed) => isShipped(changed, typeof source === "string" ? source : ""));
  if (shipped === undefined) return undefined;
  return `${shipped.place === "" ? "the value" : shipped.place} changes when the payment comes after the refund: a refunded order is shipped`;
}

function isShipped(changed: ChangedPlace, source: string): boolean {
  const name = changed.place === "" ? source : changed.place;
  if ("plus" in changed) return changed.plus > 0 ? GOODS.test(name) : STOCK.test(name);
  const { to } = changed;
  if (typeof to === "string" && GOODS.test(to)) return true;
  return GOODS.test(name) && to !== undefined && to !== null && to !== false && to !== "";
}
