import { fromXof } from "../../domain/values/money.js";
import { setBalance } from "../../domain/accounts/set-balance.js";
import { Work, createWorld } from "../../domain/model/work.js";
import type { DomainEvent, EventType } from "../../domain/model/events.js";
import { type ProblemCode, isApiProblem } from "../../domain/model/problem-codes.js";
import type { Profile } from "../../domain/profile/profile.js";
import { createIdSource } from "../../kernel/records/ids.js";
import { type Instant, toIso } from "../../kernel/time/instant.js";
import { Bug, type Problem } from "../../kernel/messages/problem.js";
import type { Charge } from "../../domain/model/charge.js";
import { createCharge, getCharge } from "../../domain/charges/create-charge.js";
import { expireCharge } from "../../domain/charges/drop-charge.js";
import { payCharge } from "../../domain/charges/pay-charge.js";
import { refundCharge } from "../../domain/charges/refund-charge.js";
import { createSubscription } from "../../domain/deliveries/subscriptions.js";
import { createBatch } from "../../domain/transfers/create-batch.js";
import { createTransfer } from "../../domain/transfers/create-transfer.js";
import { findTransfer, settleTransfer } from "../../domain/transfers/settle-transfer.js";
import type { Transfer } from "../../domain/model/transfer.js";
import { parseRefund } from "../charges.js";
import { type TransferRequest, toOrder } from "../transfers.js";

/** `run` does one operation of the domain, one minute after the previous one. */
type SampleStage = ReturnType<typeof createSampleStage>;
/** What clients send in the examples. The sandbox makes everything else from it. */
type SampleRequests = ReturnType<typeof createSampleRequests>;
export type SampleWorld = ReturnType<typeof createSampleWorld>;

/**
 * The records behind the examples, made with the operations of the domain under this profile, so that an example shows what the sandbox answers.
 * `checkoutUrl` is the address of payment pages.
 */
export function createSampleWorld(profile: Profile, checkoutUrl: string) {
  const stage = createSampleStage(profile);
  const requests = createSampleRequests(profile);
  return {
    stage,
    requests,
    subscription: stage.run(createSubscription, requests.createWebhook),
    otherSubscription: stage.run(createSubscription, { ...requests.createWebhook, topic: "transaction/completed" }),
    charges: playCharges(stage, requests, checkoutUrl),
    ...playTransfers(stage, requests),
  };
}

function playCharges({ profile, world, run }: SampleStage, requests: SampleRequests, checkoutUrl: string) {
  const { success, failure } = profile.testNumbers;
  const { amount, metadata = {}, ...terms } = requests.createCharge;
  const create = (externalId: string): Charge =>
    run(createCharge, { ...terms, externalId, amount: fromXof(amount), metadata, checkoutUrl });
  const createPaid = (externalId: string): Charge =>
    run(payCharge, { chargeId: create(externalId).id, msisdn: success });

  const due = create(terms.externalId);
  const declined = run(payCharge, { chargeId: create("order-1002").id, msisdn: failure });
  const paid = createPaid("order-1003");
  const part = parseRefund(profile, requests.refundCharge);
  const refundedPartially = run(refundCharge, { chargeId: createPaid("order-1004").id, amount: part });
  const refunded = run(refundCharge, { chargeId: createPaid("order-1005").id, amount: undefined });
  const forgotten = create("order-1006");
  run(expireCharge, forgotten.id);
  return { due, declined, paid, refundedPartially, refunded, dropped: getCharge({ world }, forgotten.id) };
}

function playTransfers({ profile, world, run }: SampleStage, requests: SampleRequests) {
  const settled = (transfer: Transfer | undefined): Transfer => {
    if (transfer !== undefined) run(settleTransfer, transfer.id);
    const found = transfer && findTransfer({ world }, transfer.id);
    if (found === undefined) throw new Bug("Failed to describe the API: a transfer of the examples is gone.");
    return found;
  };
  const order = toOrder(requests.createTransaction);
  const pending = run(createTransfer, order);
  const failing = run(createTransfer, { ...order, reference: "payout-1002", msisdn: profile.testNumbers.failure });
  const batch = run(createBatch, requests.createBatch.transactions.map(toOrder));
  return {
    transfers: { pending, completed: settled(pending), failed: settled(failing) },
    batch,
    settledInBatch: settled(batch.transactions[0]),
  };
}

/** Requests whose amounts are within the profile's bounds. The fee of 5050 XOF has a fraction. */
function createSampleRequests({ transfers, charges, refunds, batch, testNumbers, webhooks }: Profile) {
  const transfer: TransferRequest = {
    amount: within(5050, transfers),
    msisdn: testNumbers.success,
    reference: "payout-1001",
    type: "transfer",
    description: "Salary of January",
  };
  const amount = within(10_000, charges);
  const items = [
    { ...transfer, reference: "payout-1003" },
    { ...transfer, reference: "payout-1004", amount: within(20_000, transfers), msisdn: testNumbers.late },
  ];
  return {
    createTransaction: transfer,
    createBatch: { transactions: items.slice(0, batch.maxItems) },
    createCharge: {
      amount,
      externalId: "order-1001",
      description: "Shoes, size 42",
      onCanceledRedirectionUrl: "https://shop.example/canceled",
      onCompletedRedirectionUrl: "https://shop.example/thanks",
      metadata: { cart: "c-77" },
    },
    payCharge: { [charges.payField]: testNumbers.success },
    refundCharge: { [refunds.amountField]: Math.ceil(amount / 4) },
    createWebhook: { topic: "charges/events", url: `https://${receiverHost(webhooks.allow)}/webhooks` },
  };
}

function within(amount: number, { min, max }: { readonly min: number; readonly max: number }): number {
  return Math.min(Math.max(amount, min), max);
}

function receiverHost(allow: Profile["webhooks"]["allow"]): string {
  const listed = allow.kind === "list" ? allow.hosts.find((host) => !host.includes("/")) : undefined;
  if (listed === undefined) return "shop.example";
  return listed.includes(":") ? `[${listed}]` : listed;
}

/** The start of the contract's scenario of a working day. */
const START = Date.UTC(2026, 0, 15, 9);
const MINUTE_MS = 60_000;
/** The least opening balance. It covers everything that the examples do, unless a profile has large bounds or fees. */
const OPENING_MIN_XOF = 10_000_000;

/** A small company for the examples of the API description, always the same. */
function createSampleStage(profile: Profile) {
  const world = createWorld();
  const ids = createIdSource(1, "openapi");
  const happened: DomainEvent[] = [];
  let seq = 0;
  let at: Instant = START;

  const run = <Input, Output>(operation: (work: Work, input: Input) => Output, input: Input): Output => {
    at += MINUTE_MS;
    const work = new Work({ world, profile, ids, at, nextSeq: () => ++seq });
    try {
      const output = operation(work, input);
      work.commit();
      happened.push(...work.events);
      return output;
    } catch (error) {
      work.rollback();
      throw error;
    }
  };
  run(setBalance, fromXof(Math.max(OPENING_MIN_XOF, 5 * (profile.transfers.min + profile.transfers.fee.fixed))));
  return {
    profile,
    world,
    ids,
    run,
    now: () => toIso(at),
    /** The problem with which an operation is refused. None of its changes are kept. */
    refusalOf(refused: () => unknown): Problem<ProblemCode> {
      try {
        refused();
      } catch (error) {
        if (isApiProblem(error)) return error;
        throw error;
      }
      throw new Bug("Failed to describe the API: what should be refused in an example was done.");
    },
    /** The event of this type that is about this charge or transaction. */
    eventOf(type: EventType, resource: string): DomainEvent {
      const event = happened.find((candidate) => candidate.type === type && candidate.resource === resource);
      if (event === undefined) throw new Bug(`Failed to describe the API: no ${type} happened to ${resource}.`);
      return event;
    },
  };
}
