import { renderPayload } from "../../contract/webhooks.js";
import { fromXof } from "../../domain/values/money.js";
import type { Charge, ChargeStatus } from "../../domain/model/charge.js";
import type { DomainEvent, EventSubject, EventType } from "../../domain/model/events.js";
import { defaultProfile } from "../../domain/profile/parse-profile.js";
import { singularOf, type Topic } from "../../domain/values/topic.js";
import type { Transfer, TransferStatus } from "../../domain/model/transfer.js";
import type { IdSource } from "../../kernel/ids.js";
import type { Instant } from "../../kernel/instant.js";

/** The events of the audit: made by the renderers that make the sandbox's own webhooks, about resources that nobody knows. */
export type ChargeStep = "paid" | "refunded" | "dropped";
export type TransferStep = "started" | "completed" | "failed";
export type Step = ChargeStep | TransferStep;

/** What an event is about. Every text of it that names it is in `names`. */
export interface Resource {
  readonly family: "charge" | "transfer";
  readonly id: string;
  /** The caller's reference: `externalId` or `reference`. */
  readonly reference: string;
  readonly names: readonly string[];
  readonly createdAt: Instant;
}

export function createResource(family: Resource["family"], ids: IdSource, now: Instant): Resource {
  const id = ids.uuid();
  const entry = ids.uuid();
  const reference = `audit-${ids.hex32().slice(0, 12)}`;
  return { family, id, reference, names: [id, entry, reference], createdAt: now };
}

/** How topics are spelt: `plural` as the contract's list, `singular` as its examples of subscriptions. */
export type TopicSpelling = "plural" | "singular";

/** The text of the event that this step of a resource causes. `topic` replaces the one it has by itself. */
export function renderStep(resource: Resource, step: Step, spelling: TopicSpelling, topic?: string): string {
  const ownTopic = topicOf(step);
  const spelt = topic ?? (spelling === "plural" ? ownTopic : singularOf(ownTopic));
  return renderPayload(defaultProfile(), spelt, eventOf(resource, step));
}

export function topicOf(step: Step): Topic {
  switch (step) {
    case "paid":
    case "refunded":
    case "dropped":
      return "charges/events";
    case "started":
    case "completed":
    case "failed":
      return `transactions/${step}`;
  }
}

function eventOf(resource: Resource, step: Step): DomainEvent {
  const isCharge = step === "paid" || step === "refunded" || step === "dropped";
  const subject: EventSubject = isCharge
    ? { kind: "charge", charge: chargeOf(resource, step) }
    : { kind: "transaction", transaction: transferOf(resource, step) };
  const type: EventType = isCharge ? `charge.${step}` : `transaction.${step}`;
  return { id: resource.id, seq: 1, at: resource.createdAt, type, resource: resource.id, subject };
}

const AMOUNT = fromXof(10_000);
const PAYER = "2250700000001";
const HOUR_MS = 3_600_000;

function chargeOf({ id, reference, names, createdAt }: Resource, step: ChargeStep): Charge {
  const statuses: Record<ChargeStep, ChargeStatus> = { paid: "paid", refunded: "refunded", dropped: "dropped" };
  const entry = (type: "payment" | "refund", position: number): Charge["entries"][number] => ({
    id: `${names[1]?.slice(0, -1)}${position}`,
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
    status: statuses[step],
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
  const statuses: Record<TransferStep, TransferStatus> = {
    started: "pending",
    completed: "completed",
    failed: "failed",
  };
  return {
    id,
    seq: 1,
    amount: AMOUNT,
    fee: fromXof(100.5),
    msisdn: `+${PAYER}`,
    status: statuses[step],
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
