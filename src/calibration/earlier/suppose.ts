import type { ChargeEntry } from "../../domain/model/charge.js";
import type { Subscription } from "../../domain/model/subscription.js";
import type { Work } from "../../domain/model/work.js";
import { fromXof } from "../../domain/values/money.js";
import type { Instant } from "../../kernel/time/instant.js";
import type { JsonObject } from "../../kernel/messages/json.js";
import { plain } from "../recording/resources.js";

/** What fixtures do not say of records that the service had before the recording. */
export interface SupposedRecords {
  readonly subscriptions: readonly SupposedSubscription[];
  readonly charges: readonly SupposedCharge[];
  readonly transfers: readonly SupposedTransfer[];
}

export interface SupposedSubscription extends Pick<Subscription, "topic" | "spelling" | "url"> {
  /** Known where the service lists the subscription, as the two times below. */
  readonly id?: string;
  readonly createdAt?: Instant | undefined;
  readonly updatedAt?: Instant | undefined;
  /** No webhook of the recording is by it: it may be of another system with the same account. */
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
  /** Of a final one. */
  readonly updatedAt: Instant | undefined;
  /** Given where an earlier transfer has the same reference. */
  readonly reference: string | undefined;
}

export const nothingSupposed: SupposedRecords = { subscriptions: [], charges: [], transfers: [] };

/** Once the fixtures are there: as the service has it, whatever the profile says of new records. */
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
