import type { Charge, ChargeStatus } from "../../../../domain/model/charge.js";
import type { DomainEvent } from "../../../../domain/model/events.js";
import type { Batch, BatchStatus, Transfer, TransferStatus } from "../../../../domain/model/transfer.js";
import type { Visit } from "./lifecycle-drawing.js";

/** The states that a charge was in, one after another, as its events tell. */
export function visitsOfCharge(
  { createdAt, status }: Charge,
  events: readonly DomainEvent[],
): readonly Visit<ChargeStatus>[] {
  const told = events.flatMap(({ type, at, subject }) =>
    // A payment that came too late moves nothing.
    subject.kind === "charge" && type !== "charge.payment_lost" ? [{ status: subject.charge.status, at }] : [],
  );
  return whole<ChargeStatus>({ status: "due", at: createdAt }, told, { status, at: null });
}

export function visitsOfTransfer(
  { createdAt, updatedAt, status }: Transfer,
  events: readonly DomainEvent[],
): readonly Visit<TransferStatus>[] {
  const told = events.flatMap(({ at, subject }) =>
    subject.kind === "transaction" ? [{ status: subject.transaction.status, at }] : [],
  );
  return whole<TransferStatus>({ status: "pending", at: createdAt }, told, { status, at: updatedAt });
}

export function visitsOfBatch(
  { createdAt, updatedAt, status }: Batch,
  events: readonly DomainEvent[],
): readonly Visit<BatchStatus>[] {
  const told = events.flatMap(({ at, subject }) =>
    subject.kind === "batch" ? [{ status: subject.batch.status, at }] : [],
  );
  return whole<BatchStatus>({ status: "processing", at: createdAt }, told, { status, at: updatedAt });
}

/** Old events are forgotten, and what a fixture made has none: how it began, and where it is, is known in any case. */
function whole<Status extends string>(
  first: Visit<Status>,
  told: readonly Visit<Status>[],
  last: Visit<Status>,
): readonly Visit<Status>[] {
  const begun = told[0]?.status === first.status && told[0].at === first.at ? told : [first, ...told];
  return begun.at(-1)?.status === last.status ? begun : [...begun, last];
}
