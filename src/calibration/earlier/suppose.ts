import type { ChargeEntry } from "../../domain/model/charge.js";
import type { Subscription } from "../../domain/model/subscription.js";
import type { Work } from "../../domain/model/work.js";
import { fromXof } from "../../domain/values/money.js";
import type { Instant } from "../../kernel/time/instant.js";
import type { JsonObject } from "../../kernel/messages/json.js";
import { plain } from "../recording/resources.js";

/** What fixtures cannot say about records that the service had before the recording. */
export interface SupposedRecords {
  readonly subscriptions: readonly SupposedSubscription[];
  readonly charges: readonly SupposedCharge[];
  readonly transfers: readonly SupposedTransfer[];
}

export interface SupposedSubscription extends Pick<Subscription, "topic" | "spelling" | "url"> {
  /** Known if the service lists the subscription, like the two times below. */
  readonly id?: string;
  readonly createdAt?: Instant | undefined;
  readonly updatedAt?: Instant | undefined;
  /** Whether no webhook of the recording belongs to it: it may be that of another system with the same account. */
  readonly isSilent: boolean;
}

export interface SupposedCharge {
  readonly id: string;
  readonly attempts: number;
  /** As the service shows them, the newest first. */
  readonly entries: readonly JsonObject[];
}

export interface SupposedTransfer {
  readonly id: string;
  readonly batchId: string | null;
  /** Used for a final transfer only. */
  readonly updatedAt: Instant | undefined;
  /** Given if another transfer from before the recording has the same reference, which two fixtures cannot have. */
  readonly reference: string | undefined;
}

export const nothingSupposed: SupposedRecords = { subscriptions: [], charges: [], transfers: [] };

/** Completes the records of the fixtures, so that they are as the service has them, whatever the profile says about new records. */
export function suppose(work: Work, { subscriptions, charges, transfers }: SupposedRecords): void {
  const { world, at } = work;
  for (const { isSilent: _, id = work.ids.uuid(), createdAt = at, updatedAt = at, ...row } of subscriptions) {
    work.put<Subscription>(world.subscriptions, { ...row, id, seq: work.nextSeq(), createdAt, updatedAt });
  }
  for (const { id, attempts, entries } of charges) {
    const charge = world.charges.get(plain(id));
    const read = entries.flatMap(readEntryOf);
    if (charge !== undefined && read.length === entries.length)
      work.put(world.charges, { ...charge, attempts, entries: read });
  }
  for (const { id, batchId, updatedAt, reference } of transfers) {
    const seeded = world.transfers.get(plain(id));
    if (seeded === undefined) continue;
    const transfer = { ...seeded, reference: reference ?? seeded.reference };
    if (transfer.status !== "pending") {
      work.put(world.transfers, { ...transfer, batchId, updatedAt: updatedAt ?? transfer.updatedAt });
      continue;
    }
    work.put(world.transfers, { ...transfer, batchId });
    const { plan, settleAfterMs, createdAt } = transfer;
    if (plan.outcome === "pending" || settleAfterMs === null) continue;
    work.schedule("transfer.settle", transfer.id, Math.max(at, createdAt + settleAfterMs));
  }
}

/** Empty for an entry of another form. */
function readEntryOf({ id, recipientMsisdn, amount, service, status, type, error }: JsonObject): ChargeEntry[] {
  const areTexts = typeof id === "string" && typeof recipientMsisdn === "string" && typeof service === "string";
  const isKnown = (status === "completed" || status === "failed") && (type === "payment" || type === "refund");
  if (!areTexts || !isKnown || !Number.isInteger(amount)) return [];
  const reason = typeof error === "string" ? error : null;
  return [{ id, recipientMsisdn, amount: fromXof(Number(amount)), service, status, type, error: reason }];
}
