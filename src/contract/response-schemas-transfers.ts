import { note, amount, type FieldsOf, timestamp, uuidWith } from "./fields.js";
import { msisdn } from "../domain/values/fields.js";
import * as z from "zod";
import type { Profile } from "../domain/profile/profile.js";
import type { BatchBody, TransactionBody } from "./resources.js";

/** All fields that a transaction can have; each view takes its own of them. */
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
  type: z.literal("transfer").meta(note("The only type there is.")),
  batchId: uuidWith("bat_").meta(note("Present only when the transaction was created as part of a batch.")),
  failureReason: z.string().nullable().meta(note("Why the transfer failed; null when it did not.")),
  createdAt: timestamp.meta(note("Creation time.")),
  updatedAt: timestamp.meta(note("Last update time.")),
} satisfies FieldsOf<TransactionBody>;

/** "`processing` is the only value shown." */
const batchFields = {
  id: uuidWith("bat_").meta(note("`bat_` followed by a UUID.")),
  createdAt: timestamp.meta(note("Creation time.")),
  updatedAt: timestamp.meta(note("Last update time.")),
  totalAmount: amount.meta(note("Total for the batch: the sum of its transactions' `totalAmount`.")),
  totalFee: amount.meta(note("Total fees for the batch.", "transfers.fee")),
  status: z.literal("processing").meta(note("`processing` until every transaction is final.")),
} satisfies Omit<FieldsOf<BatchBody>, "transactions">;

export interface TransferSchemas {
  readonly TransactionCreated: z.ZodType<TransactionBody>;
  readonly BatchTransaction: z.ZodType<TransactionBody>;
  readonly Transaction: z.ZodType<TransactionBody>;
  readonly TransactionPayload: z.ZodType<TransactionBody>;
  readonly Batch: z.ZodType<BatchBody>;
}

/** A transaction in each place where the API shows one, as this profile makes it: an answer with other fields is refused. */
export function transferSchemas(profile: Profile): TransferSchemas {
  const { description, batchId } = transactionFields;
  const whole = z.strictObject({ ...transactionFields, description: description.exactOptional() });
  const pending = z.literal("pending").meta(note("`pending` at creation."));
  const created = whole.omit({ failureReason: true }).extend({ status: pending });
  const read = whole.extend({ batchId: batchId.exactOptional() });
  const item = created.meta({ description: "A transaction as the creation of its batch answers it." });
  const plain = profile.transfers.webhookId === "plain";
  return {
    TransactionCreated: created
      .omit({ batchId: true })
      .meta({ description: "A transaction as its creation answers it." }),
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
      .meta({ description: "A batch as its creation answers it." }),
  };
}
