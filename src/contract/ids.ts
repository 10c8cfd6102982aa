import type { LedgerEntry } from "../domain/model/account.js";
import type { Delivery } from "../domain/model/delivery.js";
import type { DomainEvent } from "../domain/model/events.js";
import type { DueKind } from "../domain/model/work.js";
import { batchId, transactionId } from "./transfers-wire.js";

/** Ids as the API's answers give them: `txn_` before a transaction's, `bat_` before a batch's, everything else as it is stored. */

export function shownEventResource({ resource, subject }: Pick<DomainEvent, "resource" | "subject">): string | null {
  if (resource === null) return null;
  if (subject.kind === "transaction") return transactionId(resource);
  return subject.kind === "batch" ? batchId(resource) : resource;
}

export function shownEntryResource({ resource, type }: Pick<LedgerEntry, "resource" | "type">): string | null {
  return resource !== null && type.startsWith("transfer.") ? transactionId(resource) : resource;
}

export function shownDeliveryResource({ resource, resourceKind }: Pick<Delivery, "resource" | "resourceKind">): string {
  return resourceKind === "transaction" ? transactionId(resource) : resource;
}

export function shownSubject({ kind, subject }: { readonly kind: DueKind; readonly subject: string }): string {
  return kind === "transfer.settle" ? transactionId(subject) : subject;
}

/** "ids are taken with or without their prefix". */
export function plainId(id: string): string {
  return id.replace(/^(?:txn|bat)_/, "");
}
