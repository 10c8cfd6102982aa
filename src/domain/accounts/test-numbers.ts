import type { PaymentOutcome } from "../model/charge.js";
import type { TransferOutcome } from "../model/transfer.js";
import { msisdnKey } from "../values/msisdn.js";
import type { Profile } from "../profile/profile.js";
import { touchSettings } from "../profile/track-profile.js";

/**
 * The reserved phone numbers. The contract: "Reserved test phone numbers exist: one simulates a successful outcome […], one simulates
 * `failed`. Their values are not carried in this document." `success` and `failure` are those two; the others are additions of the
 * sandbox. Their values are settings (`testNumbers`).
 */
export type TestNumberRole = keyof Profile["testNumbers"];

export interface NumberBehaviour {
  readonly transfer: TransferOutcome | "refused";
  readonly payment: PaymentOutcome | "refused";
  readonly kycStatus: string;
  /** Added to the time after which a transfer to the number settles, ms. */
  readonly lateMs: number;
  readonly silent: boolean;
  /** How long its owner takes to confirm a payment on the phone, ms of the company's clock. */
  readonly confirmMs?: number;
}

const LATE_MS = 10 * 60_000;
const CONFIRM_MS = 30_000;

const ordinary: NumberBehaviour = {
  transfer: { outcome: "completed" },
  payment: { outcome: "paid" },
  kycStatus: "unknown",
  lateMs: 0,
  silent: false,
};
const known: NumberBehaviour = { ...ordinary, kycStatus: "complete" };

/** What each reserved number does, one line each. */
export const numberBehaviours: Readonly<Record<TestNumberRole, NumberBehaviour>> = {
  success: known,
  failure: { ...known, transfer: failed("recipient_unreachable"), payment: declined("payment_declined") },
  pending: { ...known, transfer: { outcome: "pending" }, payment: declined("timeout") },
  late: { ...known, lateMs: LATE_MS },
  silent: { ...known, silent: true },
  limit: { ...known, transfer: failed("limit_exceeded"), payment: declined("insufficient_funds") },
  refused: { ...known, transfer: "refused", payment: "refused", kycStatus: "unknown" },
  unverified: {
    ...known,
    transfer: failed("identity_not_verified"),
    payment: declined("identity_not_verified"),
    kycStatus: "incomplete",
  },
  confirming: { ...known, confirmMs: CONFIRM_MS },
};

/** The behaviour of a number. Numbers that are not reserved behave ordinarily. */
export function behaviourOf(profile: Profile, msisdn: string): NumberBehaviour {
  const role = findTestNumber(profile, msisdn);
  return role === undefined ? ordinary : numberBehaviours[role];
}

export function findTestNumber(profile: Profile, msisdn: string): TestNumberRole | undefined {
  const key = msisdnKey(msisdn);
  for (const role in profile.testNumbers) {
    if (msisdnKey(profile.testNumbers[role as TestNumberRole]) === key) {
      touchSettings(profile, [`testNumbers.${role}`]);
      return role as TestNumberRole;
    }
  }
  return undefined;
}

function failed(reason: string): TransferOutcome {
  return { outcome: "failed", reason };
}

function declined(error: string): PaymentOutcome {
  return { outcome: "failed", error };
}
