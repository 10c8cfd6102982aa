import { renderPayload } from "../../contract/webhooks.js";
import { fromXof } from "../../domain/values/money.js";
import type { Charge } from "../../domain/model/charge.js";
import type { DomainEvent } from "../../domain/model/events.js";
import { defaultProfile } from "../../domain/profile/parse-profile.js";
import { findTopic, type Topic } from "../../domain/values/topic.js";
import type { Transfer } from "../../domain/model/transfer.js";
import type { IdSource } from "../../kernel/records/ids.js";
import type { Instant } from "../../kernel/time/instant.js";

/** The events of the audit: rendered like the sandbox's own webhooks, about resources that exist nowhere. */
const chargeSteps = ["paid", "refunded in part", "refunded further", "refunded", "dropped"] as const;
type ChargeStep = (typeof chargeSteps)[number];
const transferSteps = ["started", "completed", "failed"] as const;
type TransferStep = (typeof transferSteps)[number];
export type Step = ChargeStep | TransferStep;

export type Family = "charge" | "transfer";

export function familyOf(step: Step): Family {
  return isChargeStep(step) ? "charge" : "transfer";
}

function isChargeStep(step: Step): step is ChargeStep {
  return chargeSteps.some((known) => known === step);
}

/** The status of a charge after a step. */
function statusAfter(step: ChargeStep): "paid" | "refunded" | "refunded_partially" | "dropped" {
  return step === "refunded in part" || step === "refunded further" ? "refunded_partially" : step;
}

/** How much of an amount has been refunded after a step, in XOF. */
export function refundedAfter(step: Step, amountXof: number): number {
  if (step === "refunded") return amountXof;
  if (step === "refunded in part") return Math.floor(amountXof * 0.3);
  return step === "refunded further" ? Math.floor(amountXof * 0.7) : 0;
}

export function topicOf(step: Step): Topic {
  return isChargeStep(step) ? "charges/events" : `transactions/${step}`;
}

export const UNKNOWN_TOPIC = "audit/unknown";

/** The step of an ordinary event of a topic. For an unknown topic a charge is paid. */
export function stepOf(topic: string): Step {
  return transferSteps.find((step) => topicOf(step) === findTopic(topic)) ?? "paid";
}

/** What an event is about. */
export interface Resource {
  readonly id: string;
  /** What the ids of a charge's payment and refund begin with. */
  readonly entry: string;
  /** The caller's reference: `externalId` or `reference`. */
  readonly reference: string;
  readonly createdAt: Instant;
  readonly amountXof: number;
}

/** How long a transfer is pending. */
const SETTLED_AFTER_MS = 2_000;

/** It was created long enough ago for its transfer to have ended by now. */
export function createResource(ids: IdSource, now: Instant): Resource {
  const entry = ids.uuid().slice(0, -1);
  const reference = `audit-${ids.hex32().slice(0, 12)}`;
  return { id: ids.uuid(), entry, reference, createdAt: now - SETTLED_AFTER_MS, amountXof: AMOUNT_XOF };
}

export function renderStep(resource: Resource, step: Step, topic: string): string {
  return renderPayload(defaultProfile(), topic, eventOf(resource, step));
}

function eventOf(resource: Resource, step: Step): DomainEvent {
  const { id, createdAt } = resource;
  const common = { id, seq: 1, at: createdAt, resource: id };
  if (isChargeStep(step)) {
    const type = `charge.${statusAfter(step)}` as const;
    return { ...common, type, subject: { kind: "charge", charge: chargeOf(resource, step) } };
  }
  const subject = { kind: "transaction", transaction: transferOf(resource, step) } as const;
  return { ...common, type: `transaction.${step}`, subject };
}

/** The amount of the audit's own charges and transfers. */
export const AMOUNT_XOF = 10_000;
const PAYER = "2250700000001";
const HOUR_MS = 3_600_000;

function chargeOf({ id, entry: entryId, reference, createdAt, amountXof }: Resource, step: ChargeStep): Charge {
  const amount = fromXof(amountXof);
  const isPaid = step !== "dropped";
  const entry = (type: "payment" | "refund", position: number, xof = amountXof): Charge["entries"][number] => ({
    id: `${entryId}${position}`,
    recipientMsisdn: PAYER,
    amount: fromXof(xof),
    service: "wallet",
    status: "completed",
    type,
    error: null,
  });
  const part = refundedAfter("refunded in part", amountXof);
  const refunded = refundedAfter(step, amountXof);
  const refunds = {
    paid: [],
    dropped: [],
    "refunded in part": [entry("refund", 2, part)],
    "refunded further": [entry("refund", 3, refunded - part), entry("refund", 2, part)],
    refunded: [entry("refund", 2)],
  }[step];
  return {
    id,
    seq: 1,
    createdAt,
    externalId: reference,
    description: "An order of the audit",
    amount,
    feeRate: 0.01,
    fee: fromXof(100),
    status: statusAfter(step),
    droppedReason: step === "dropped" ? "expired" : null,
    paid: isPaid ? amount : 0,
    refunded: fromXof(refunded),
    attempts: isPaid ? 1 : 0,
    metadata: { basket: reference, weight: 50.5 },
    paymentUrl: "",
    onCompletedRedirectionUrl: "",
    onCanceledRedirectionUrl: "",
    entries: isPaid ? [...refunds, entry("payment", 1)] : [],
    expiresAt: createdAt + HOUR_MS,
    silent: false,
  };
}

function transferOf({ id, reference, createdAt, amountXof }: Resource, step: TransferStep): Transfer {
  return {
    id,
    seq: 1,
    amount: fromXof(amountXof),
    fee: fromXof(100.5),
    msisdn: `+${PAYER}`,
    status: step === "started" ? "pending" : step,
    reference,
    description: "A payout of the audit",
    batchId: null,
    failureReason: step === "failed" ? "recipient_unreachable" : null,
    createdAt,
    updatedAt: step === "started" ? createdAt : createdAt + SETTLED_AFTER_MS,
    plan: { outcome: "completed" },
    settleAfterMs: null,
    lateMs: 0,
    pollsLeft: null,
    debited: true,
    silent: false,
  };
}
