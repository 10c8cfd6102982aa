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
type ChargeStep = "paid" | "refunded" | "dropped";
const transferSteps = ["started", "completed", "failed"] as const;
type TransferStep = (typeof transferSteps)[number];
export type Step = ChargeStep | TransferStep;

export type Family = "charge" | "transfer";

export function familyOf(step: Step): Family {
  return isChargeStep(step) ? "charge" : "transfer";
}

function isChargeStep(step: Step): step is ChargeStep {
  return step === "paid" || step === "refunded" || step === "dropped";
}

export function topicOf(step: Step): Topic {
  return isChargeStep(step) ? "charges/events" : `transactions/${step}`;
}

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
}

export function createResource(ids: IdSource, now: Instant): Resource {
  const entry = ids.uuid().slice(0, -1);
  return { id: ids.uuid(), entry, reference: `audit-${ids.hex32().slice(0, 12)}`, createdAt: now };
}

export function renderStep(resource: Resource, step: Step, topic: string): string {
  return renderPayload(defaultProfile(), topic, eventOf(resource, step));
}

function eventOf(resource: Resource, step: Step): DomainEvent {
  const { id, createdAt } = resource;
  const common = { id, seq: 1, at: createdAt, resource: id };
  if (isChargeStep(step))
    return { ...common, type: `charge.${step}`, subject: { kind: "charge", charge: chargeOf(resource, step) } };
  const subject = { kind: "transaction", transaction: transferOf(resource, step) } as const;
  return { ...common, type: `transaction.${step}`, subject };
}

/** Of each event. */
export const AMOUNT_XOF = 10_000;
const AMOUNT = fromXof(AMOUNT_XOF);
const PAYER = "2250700000001";
const HOUR_MS = 3_600_000;

function chargeOf({ id, entry: entryId, reference, createdAt }: Resource, step: ChargeStep): Charge {
  const entry = (type: "payment" | "refund", position: number): Charge["entries"][number] => ({
    id: `${entryId}${position}`,
    recipientMsisdn: PAYER,
    amount: AMOUNT,
    service: "wallet",
    status: "completed",
    type,
    error: null,
  });
  const refunds = step === "refunded" ? [entry("refund", 2)] : [];
  return {
    id,
    seq: 1,
    createdAt,
    externalId: reference,
    description: "An order of the audit",
    amount: AMOUNT,
    feeRate: 0.01,
    fee: fromXof(100),
    status: step,
    droppedReason: step === "dropped" ? "expired" : null,
    paid: step === "dropped" ? 0 : AMOUNT,
    refunded: step === "refunded" ? AMOUNT : 0,
    attempts: step === "dropped" ? 0 : 1,
    metadata: { basket: reference, weight: 50.5 },
    paymentUrl: "",
    onCompletedRedirectionUrl: "",
    onCanceledRedirectionUrl: "",
    entries: step === "dropped" ? [] : [...refunds, entry("payment", 1)],
    expiresAt: createdAt + HOUR_MS,
    silent: false,
  };
}

function transferOf({ id, reference, createdAt }: Resource, step: TransferStep): Transfer {
  return {
    id,
    seq: 1,
    amount: AMOUNT,
    fee: fromXof(100.5),
    msisdn: `+${PAYER}`,
    status: step === "started" ? "pending" : step,
    reference,
    description: "A payout of the audit",
    batchId: null,
    failureReason: step === "failed" ? "recipient_unreachable" : null,
    createdAt,
    updatedAt: createdAt,
    plan: { outcome: "completed" },
    settleAfterMs: null,
    lateMs: 0,
    pollsLeft: null,
    debited: true,
    silent: false,
  };
}
