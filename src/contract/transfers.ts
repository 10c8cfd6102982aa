import * as z from "zod";
import { type FieldsOf, amount, note, timestamp, uuidWith } from "./fields.js";
import { openObject } from "../kernel/fields.js";
import { msisdn, wholeXof } from "../domain/values/fields.js";
import type { Profile } from "../domain/profile/profile.js";
import type { BatchBody, TransactionBody } from "./resources.js";
import { fromXof, toXof } from "../domain/values/money.js";
import type { CreatedBatch } from "../domain/transfers/create-batch.js";
import {
  type Batch,
  type Transfer,
  type TransferOrder,
  totalOf,
  transferDescription,
  transferTerms,
} from "../domain/model/transfer.js";
import { toIso } from "../kernel/time/instant.js";
import { batchId, transactionId } from "../domain/values/ids.js";
import { parseRequest } from "./parse.js";
import { oncePerProfile } from "../domain/profile/track-profile.js";

export const transferRequest = oncePerProfile((profile) =>
  openObject(transferFields(profile, true)).meta({ description: "A transfer to one wallet user." }),
);

export type TransferRequest = z.output<ReturnType<typeof transferRequest>>;

/** The contract: "each item an object with msisdn, amount, reference, description (the per-item type is not given in the example […])". */
export const batchRequest = oncePerProfile((profile) => {
  const item = openObject(transferFields(profile, profile.batch.itemType === "required")).meta({
    description: "One transfer of a batch.",
  });
  const error = `must be a list of 1 to ${profile.batch.maxItems} transactions`;
  const list = z.array(item, { error }).min(1, { error }).max(profile.batch.maxItems, { error });
  return openObject({
    transactions: list.meta(note("The transfers to make: all of them or none.", "batch.maxItems")),
  }).meta({ description: "Transfers to many wallet users." });
});

/** If the list is too long, the problems of its items are not reported. */
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

/** Where a transaction is shown: in a creation answer (without `failureReason`), in a read, or in a payload (with ids as `transfers.webhookId` says). */
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

export function renderBatchHead(batch: Batch, profile: Profile): Omit<BatchBody, "transactions"> {
  return {
    id: batchId(batch.id),
    createdAt: toIso(batch.createdAt),
    updatedAt: toIso(batch.updatedAt),
    totalAmount: toXof(batch.totalAmount - (profile.batch.totalAmount === "with-fees" ? 0 : batch.totalFee)),
    totalFee: toXof(batch.totalFee),
    status: shownBatchStatus(batch, profile),
  };
}

/** `batch.finalStatus` once all of the batch's transactions are final. */
export function shownBatchStatus(batch: Batch, profile: Profile): string {
  return batch.status === "completed" ? profile.batch.finalStatus : batch.status;
}

function transferFields(profile: Profile, typeRequired: boolean) {
  const type = z
    .literal("transfer", { error: 'must be "transfer"' })
    .meta(
      note(
        "The type of the transaction; `transfer` is the only one. An item of a batch may leave it out.",
        "batch.itemType",
      ),
    );
  return {
    amount: wholeXof(profile.transfers.min, profile.transfers.max).meta(
      note("Amount to transfer, in XOF, without the fee.", "transfers.min", "transfers.max"),
    ),
    msisdn: transferTerms.msisdn,
    reference: transferTerms.reference.meta(
      note("Caller's reference (for example an internal id).", "transfers.duplicateReference"),
    ),
    type: typeRequired ? type : type.optional(),
    description: transferDescription.optional(),
  };
}

/** All fields that a transaction can have. Each view shows some of them. */
export const transactionFields = {
  id: uuidWith("txn_").meta(note("`txn_` followed by a UUID.")),
  amount: amount.meta(note("Amount transferred.")),
  fee: amount.meta(note("Fee charged.", "transfers.fee")),
  totalAmount: amount.meta(note("`amount` and `fee` together.")),
  msisdn: msisdn.meta(note("The recipient, as the caller wrote the number.")),
  status: z
    .enum(["pending", "completed", "failed"])
    .meta(note("Where the transfer stands in its lifecycle.", "transfers.settlement")),
  reference: z.string().meta(note("Caller-supplied reference.")),
  description: z.string().meta(note("Caller-supplied text; absent when none was given.")),
  type: z.literal("transfer").meta(note("The type of the transaction; `transfer` is the only one.")),
  batchId: uuidWith("bat_").meta(note("Present only when the transaction was created as part of a batch.")),
  failureReason: z.string().nullable().meta(note("Why the transfer failed; null when it did not.")),
  createdAt: timestamp.meta(note("Creation time.")),
  updatedAt: timestamp.meta(note("Last update time.")),
} satisfies FieldsOf<TransactionBody>;

/** The contract: "`processing` is the only value shown." */
const batchFields = {
  id: uuidWith("bat_").meta(note("`bat_` followed by a UUID.")),
  createdAt: timestamp.meta(note("Creation time.")),
  updatedAt: timestamp.meta(note("Last update time.")),
  totalAmount: amount.meta(
    note("Total for the batch: by default the sum of its transactions' `totalAmount`.", "batch.totalAmount"),
  ),
  totalFee: amount.meta(note("Total fees for the batch.", "transfers.fee")),
  status: z.literal("processing").meta(note("`processing` until every transaction is final.")),
} satisfies Omit<FieldsOf<BatchBody>, "transactions">;

/** The schemas of a transaction wherever the API shows one, under this profile. An answer with other fields does not validate. */
export function transferSchemas(profile: Profile) {
  const { description, batchId } = transactionFields;
  const whole = z.strictObject({ ...transactionFields, description: description.exactOptional() });
  const pending = z.literal("pending").meta(note("`pending` at creation."));
  const created = whole.omit({ failureReason: true }).extend({ status: pending });
  const read = whole.extend({ batchId: batchId.exactOptional() });
  const item = created.meta({ description: "A transaction as the answer to the creation of its batch shows it." });
  const plain = profile.transfers.webhookId === "plain";
  return {
    TransactionCreated: created
      .omit({ batchId: true })
      .meta({ description: "A transaction as the answer to its creation shows it." }),
    BatchTransaction: item,
    Transaction: read.meta({ description: "A transaction as GET shows it." }),
    TransactionPayload: read
      .extend({
        id: uuidWith(plain ? "" : "txn_").meta(note("The transaction's identifier.", "transfers.webhookId")),
        batchId: uuidWith(plain ? "" : "bat_")
          .meta(note("Present only when the transaction was created as part of a batch.", "transfers.webhookId"))
          .exactOptional(),
      })
      .meta({ description: "A transaction as webhooks carry it." }),
    Batch: z
      .strictObject({
        ...batchFields,
        transactions: z.array(item).min(1).meta(note("The created transactions, in the order of the request.")),
      })
      .meta({ description: "A batch as the answer to its creation shows it." }),
  };
}
