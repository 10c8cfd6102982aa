import { payCharge } from "../../domain/charges/pay-charge.js";
import type { Charge } from "../../domain/model/charge.js";
import { isApiProblem } from "../../domain/model/problem-codes.js";
import { addRule } from "../../domain/rules/change-rules.js";
import { type JsonObject, isObject } from "../../kernel/messages/json.js";
import type { Company } from "../../sandbox/company/company.js";
import type { Entry } from "../recording/entry.js";
import { itemsIn } from "../recording/resources.js";

/** A charge as the service shows it. */
export interface ShownCharge {
  readonly id: string;
  readonly isPaid: boolean;
  /** Attempts to pay it, oldest first. */
  readonly payments: readonly JsonObject[];
}

/** The charge that a webhook or a read shows. */
export function chargeShownIn(entry: Entry): ShownCharge | undefined {
  const shown =
    entry.kind === "webhook" ? entry.body["data"] : entry.operation === "getCharge" ? entry.answer?.body : undefined;
  if (!isObject(shown) || typeof shown["id"] !== "string") return undefined;
  const payments = itemsIn(shown)
    .filter(({ type }) => type === "payment")
    .toReversed();
  return { id: shown["id"], isPaid: shown["status"] === "paid", payments };
}

/** Pays a charge that the service shows as paid. Returns what it did, in words. */
export function payOutside(
  company: Company,
  charge: Charge,
  { id, isPaid, payments }: ShownCharge,
): string | undefined {
  if (!isPaid) return undefined;
  attempt(company, charge, payments.at(-1));
  return `The charge ${id} was paid on the payment page.`;
}

/** Makes the failed attempts that the sandbox does not have yet. Returns what it did, in words. */
export const failOutside: typeof payOutside = (company, charge, { id, payments }) => {
  const failed = payments.filter(({ status }) => status === "failed").slice(charge.attempts);
  for (const payment of failed) attempt(company, charge, payment);
  return failed.length === 0 ? undefined : `Attempts to pay the charge ${id} failed on the payment page.`;
};

function attempt(
  company: Company,
  { id, externalId }: Charge,
  { status, error, recipientMsisdn }: ShownCharge["payments"][number] = {},
): void {
  const msisdn = typeof recipientMsisdn === "string" ? recipientMsisdn : undefined;
  const then = { outcome: "failed", error: typeof error === "string" ? error : undefined } as const;
  try {
    company.run((work) => {
      if (status === "failed") addRule(work, { name: null, on: "payment", match: { externalId }, then, times: 1 });
      return payCharge(work, { chargeId: id, msisdn });
    }, undefined);
  } catch (problem) {
    // With this profile the payer is refused, and the difference remains.
    if (!isApiProblem(problem)) throw problem;
  }
}
