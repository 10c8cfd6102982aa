import { isMsisdn } from "../../domain/values/msisdn.js";
import type { JsonObject } from "../../kernel/messages/json.js";

/** A record as a fixture, with what may stand in for members that the service shows in another form, or not at all. */
export interface Supposed {
  readonly fixture: JsonObject;
  readonly standIns: JsonObject;
}

interface FixtureList<T> {
  safeParse(given: unknown): {
    readonly data?: readonly T[] | undefined;
    readonly error?: { readonly issues: readonly { readonly path: readonly PropertyKey[] }[] } | undefined;
  };
}

/** Replaces invalid members by their stand-ins, so that the record exists and only that member differs. */
export function takeFixtures<T>(list: FixtureList<T>, supposed: readonly Supposed[]): T[] {
  return supposed.flatMap(({ fixture, standIns }) => {
    const { data, error } = list.safeParse([fixture]);
    if (data !== undefined) return data;
    const wrong = error?.issues.map(({ path }) => String(path[1])) ?? [];
    const others = Object.fromEntries(wrong.map((name) => [name, standIns[name]]));
    return list.safeParse([{ ...fixture, ...others }]).data ?? [];
  });
}

const AMOUNT = 10_000;

export function standInsOfCharge({ id, amount, due, paid }: JsonObject): JsonObject {
  return {
    amount: wholeOf(amount) ?? wholeOf(Number(due) + Number(paid)) ?? AMOUNT,
    externalId: String(id),
    description: "-",
    status: Number(paid) > 0 ? "paid" : "due",
  };
}

export function standInsOfTransfer(body: JsonObject): JsonObject {
  const { id, amount, fee, totalAmount, msisdn, failureReason, createdAt, updatedAt } = body;
  const ended = typeof failureReason === "string" ? "failed" : "completed";
  return {
    amount: wholeOf(amount) ?? wholeOf(Number(totalAmount) - Number(fee)) ?? AMOUNT,
    msisdn: isMsisdn(String(msisdn)) ? String(msisdn) : "+2250799999999",
    reference: String(id),
    status: updatedAt === createdAt ? "pending" : ended,
  };
}

function wholeOf(value: unknown): number | undefined {
  const whole = Math.round(Number(value));
  return whole > 0 ? whole : undefined;
}
