import { type Money, fromXof } from "../../domain/values/money.js";
import type { Charge } from "../../domain/model/charge.js";
import { createCharge, getCharge } from "../../domain/charges/create-charge.js";
import { payCharge } from "../../domain/charges/pay-charge.js";
import { refundCharge } from "../../domain/charges/refund-charge.js";
import { refuse } from "../../domain/model/problem-codes.js";
import { createSubscription, getSubscription } from "../../domain/deliveries/subscriptions.js";
import { createBatch } from "../../domain/transfers/create-batch.js";
import { createTransfer } from "../../domain/transfers/create-transfer.js";
import { getTransfer } from "../../domain/transfers/settle-transfer.js";
import { createChargeRequest, payRequest } from "../charges-wire.js";
import { type OperationId, operationOf } from "../operations.js";
import { parseRequest } from "../parse.js";
import { type ErrorStatus, renderError, renderPlainError, statusOfProblem } from "../problems.js";
import { PAGE_LIMIT_MAX, parseCustomerCheck, parsePaging } from "../queries-wire.js";
import { subscriptionRequest } from "../subscriptions-wire.js";
import { parseBatchRequest, toOrder, transferRequest } from "../transfers-wire.js";
import type { SampleWorld } from "./sample-world.js";

/** Nothing has this identifier. */
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

/** What is refused, and the identifier in its path. */
interface Refusal {
  readonly id: string;
  readonly refused: () => unknown;
}

type Refusals = { readonly [Status in ErrorStatus]?: Refusal | (() => unknown) };

/** The body with which an operation refuses, in the words of the sandbox; undefined where no example is made. */
export function renderSampleError(sample: SampleWorld, id: OperationId, status: ErrorStatus): unknown {
  const refusal = refusals(sample)[id][status];
  if (refusal === undefined) return undefined;
  const { id: resource, refused } = typeof refusal === "function" ? { id: UNKNOWN_ID, refused: refusal } : refusal;
  return renderRefusal(sample, operationOf(id).path.replace(":id", resource), refused);
}

/** The body of a refusal as the profile shapes it. */
export function renderRefusal({ stage }: SampleWorld, path: string, refused: () => unknown): unknown {
  const { code, messages } = stage.refusalOf(refused);
  if (stage.profile.errors.shape === "message") return renderPlainError(messages);
  return renderError(statusOfProblem[code], messages, { correlationId: stage.ids.hex32(), path, timestamp: stage.now });
}

/** A request that each operation refuses, by status. */
function refusals(sample: SampleWorld): Readonly<Record<OperationId, Refusals>> {
  const { stage, requests, charges } = sample;
  const { profile, world, run } = stage;
  const { refused, success } = profile.testNumbers;
  const order = toOrder(requests.createTransaction);
  const isDuplicateRefused = profile.transfers.duplicateReference === "conflict";
  const pay = ({ id }: Charge, msisdn: string): Refusal => ({
    id,
    refused: () => run(payCharge, { chargeId: id, msisdn }),
  });
  const refund = ({ id }: Charge, amount: Money | undefined): Refusal => ({
    id,
    refused: () => run(refundCharge, { chargeId: id, amount }),
  });
  const noCompanyHeader = (): never => refuse("company_header_missing", "X-Company-Id is missing");
  const noCharge = (): unknown => getCharge({ world }, UNKNOWN_ID);
  const noWebhook = (): unknown => getSubscription({ world }, UNKNOWN_ID);
  return {
    createTransaction: {
      400: () => parseRequest(transferRequest(profile), { ...requests.createTransaction, amount: 0.5, msisdn: "12" }),
      ...(isDuplicateRefused ? { 409: () => run(createTransfer, order) } : {}),
      422: () => run(createTransfer, { ...order, reference: "payout-1005", msisdn: refused }),
    },
    createBatch: {
      400: () => parseBatchRequest(profile, { transactions: [{ ...requests.createTransaction, msisdn: "12" }] }),
      ...(isDuplicateRefused ? { 409: () => run(createBatch, [order]) } : {}),
      422: () => run(createBatch, [{ ...order, reference: "payout-1005", msisdn: refused }]),
    },
    getTransaction: { 400: noCompanyHeader, 404: () => run(getTransfer, `txn_${UNKNOWN_ID}`) },
    checkCustomer: { 400: () => parseCustomerCheck(profile, {}) },
    getBalance: { 400: noCompanyHeader },
    createCharge: {
      400: () => parseRequest(createChargeRequest(profile), { ...requests.createCharge, amount: -1, externalId: " " }),
      409: () => run(createCharge, { ...charges.due, checkoutUrl: "" }),
    },
    payCharge: {
      400: () => parseRequest(payRequest(profile), { msisdn: "12" }),
      404: noCharge,
      ...(profile.charges.payNotDue === 409 ? { 422: pay(charges.due, refused) } : {}),
      [profile.charges.payNotDue]: pay(charges.paid, success),
    },
    getCharge: { 400: noCompanyHeader, 404: noCharge },
    refundCharge: {
      400: refund(charges.paid, charges.paid.amount + fromXof(1)),
      404: noCharge,
      422: refund(charges.due, undefined),
    },
    createWebhook: {
      400: () => parseRequest(subscriptionRequest(profile), { topic: "charges", url: "/webhooks" }),
      ...(profile.webhooks.duplicateSubscription === "conflict"
        ? { 409: () => run(createSubscription, requests.createWebhook) }
        : {}),
    },
    getWebhook: { 400: noCompanyHeader, 404: noWebhook },
    listWebhooks: { 400: () => parsePaging({ limit: "0" }, profile.paging.limit, PAGE_LIMIT_MAX) },
    deleteWebhook: { 400: noCompanyHeader, 404: noWebhook },
  };
}
