import type { Profile } from "../../../domain/profile/profile.js";
import { numberBehaviours, type TestNumberRole } from "../../../domain/accounts/test-numbers.js";
import type { Texts } from "./texts.js";

/** A test number as a choice of the payment page. */
export interface NumberChoice {
  /** As the profile writes it. */
  readonly msisdn: string;
  /** The result of paying with it, in words. */
  readonly effect: string;
  readonly outcome: "paid" | "failed" | "refused";
}

/** The profile's test numbers, each with the result of a payment by it. */
export function testNumberChoices({ testNumbers }: Profile, texts: Texts): readonly NumberChoice[] {
  return Object.entries(numberBehaviours).map(([role, { payment }]) => ({
    msisdn: testNumbers[role as TestNumberRole],
    effect: effectOf(role as TestNumberRole, texts),
    outcome: payment === "refused" ? payment : payment.outcome,
  }));
}

function effectOf(role: TestNumberRole, { effects, reasons }: Texts): string {
  const { payment, silent, lateMs } = numberBehaviours[role];
  if (payment === "refused") return effects.refused;
  if (payment.outcome === "failed") return effects.fails(reasons.get(payment.error) ?? payment.error);
  if (silent) return effects.paidSilently;
  return lateMs > 0 ? effects.paidThoughLate : effects.paid;
}

/** `+225 07 00 00 00 01`: numbers of Côte d'Ivoire in pairs of digits, all others unchanged. */
export function showMsisdn(msisdn: string): string {
  const [, prefix, digits] = /^(\+225)(\d{10})$/.exec(msisdn) ?? [];
  if (prefix === undefined || digits === undefined) return msisdn;
  return [prefix, ...(digits.match(/\d\d/g) ?? [])].join("\u00a0");
}
