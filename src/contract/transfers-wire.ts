import { note } from "./fields.js";
import { msisdn, wholeXof } from "../domain/values/fields.js";
import { text } from "../kernel/fields.js";
import * as z from "zod";
import { fromXof, toXof } from "../domain/values/money.js";
import type { CreatedBatch } from "../domain/transfers/create-batch.js";
import { type Batch, type Transfer, type TransferOrder, totalOf } from "../domain/model/transfer.js";
import type { Profile } from "../domain/profile/profile.js";
import { toIso } from "../kernel/instant.js";
import { batchId, transactionId } from "../domain/values/ids.js";
import { parseRequest, perProfile } from "./parse.js";
import type { BatchBody, TransactionBody } from "./resources.js";

export interface TransferRequest {
  amount: number;
  msisdn: string;
  reference: string;
  type?: "transfer" | undefined;
  description?: string | undefined;
}

export const transferRequest = perProfile<TransferRequest>((profile) =>
  z.object(transferFields(profile, true), notAnObject),
);

/** "each item an object with msisdn, amount, reference, description (the per-item type is not given in the example […])". */
export const batchRequest = perProfile<{ transactions: TransferRequest[] }>((profile) => {
  const item = z.object(transferFields(profile, profile.batch.itemType === "required"), notAnObject);
  const error = `must be a list of 1 to ${profile.batch.maxItems} transactions`;
  const list = z.array(item, { error }).min(1, { error }).max(profile.batch.maxItems, { error });
  return z.object(
    { transactions: list.meta(note("The transfers to make: all of them or none.", "batch.maxItems")) },
    notAnObject,
  );
});

/** What a batch's items may not be is not worth looking at when there are too many of them. */
export function parseBatchRequest(profile: Profile, value: unknown): readonly TransferOrder[] {
  return parseRequest(batchRequest(profile), value).transactions.map(toOrder);
}

export function toOrder(request: TransferRequest): TransferOrder {
  return {
    amount: fromXof(request.amount),
    msisdn: request.msisdn,
    reference: request.reference,
    description: request.description,
  };
}

/**
 * Where a transaction is shown: in a creation answer (without `failureReason`), read, or in a payload (ids as `transfers.webhookId` says).
 */
export type TransferView = "created" | "read" | "payload";

export function renderTransfer(transfer: Transfer, view: TransferView, profile: Profile): TransactionBody {
  const plain = view === "payload" && profile.transfers.webhookId === "plain";
  return {
    id: plain ? transfer.id : transactionId(transfer.id),
    amount: toXof(transfer.amount),
    fee: toXof(transfer.fee),
    totalAmount: toXof(totalOf(transfer)),
    msisdn: transfer.msisdn,
    status: transfer.status,
    reference: transfer.reference,
    ...(transfer.description === undefined ? {} : { description: transfer.description }),
    type: "transfer",
    ...(transfer.batchId === null ? {} : { batchId: plain ? transfer.batchId : batchId(transfer.batchId) }),
    ...(view === "created" ? {} : { failureReason: transfer.failureReason }),
    createdAt: toIso(transfer.createdAt),
    updatedAt: toIso(transfer.updatedAt),
  };
}

export function renderBatch(
  { batch, transactions }: CreatedBatch,
  view: "created" | "read",
  profile: Profile,
): BatchBody {
  return {
    ...renderBatchHead(batch, profile),
    transactions: transactions.map((transfer) => renderTransfer(transfer, view, profile)),
  };
}

/** A batch without its transactions. */
export function renderBatchHead(batch: Batch, profile: Profile): Omit<BatchBody, "transactions"> {
  return {
    id: batchId(batch.id),
    createdAt: toIso(batch.createdAt),
    updatedAt: toIso(batch.updatedAt),
    totalAmount: toXof(batch.totalAmount),
    totalFee: toXof(batch.totalFee),
    status: shownBatchStatus(batch, profile),
  };
}

/** `batch.finalStatus` once every transaction of it is final. */
export function shownBatchStatus(batch: Batch, profile: Profile): string {
  return batch.status === "completed" ? profile.batch.finalStatus : batch.status;
}

const notAnObject = { error: "must be a JSON object" };

function transferFields(profile: Profile, typeRequired: boolean) {
  const type = z
    .literal("transfer", { error: 'must be "transfer"' })
    .meta(note("The only type there is; an item of a batch may do without.", "batch.itemType"));
  return {
    amount: wholeXof(profile.transfers.min, profile.transfers.max).meta(
      note("Amount to transfer, in XOF, without the fee.", "transfers.min", "transfers.max"),
    ),
    msisdn: msisdn.meta(note("The recipient.")),
    reference: text("the caller's reference").meta(
      note("Caller's reference (for example an internal id).", "transfers.duplicateReference"),
    ),
    type: typeRequired ? type : type.optional(),
    description: text("the caller's description").meta(note("Caller's text, returned in answers.")).optional(),
  };
}
