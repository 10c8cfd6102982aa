import type { ChargeEntry } from "../../domain/model/charge.js";
import { createCharge, getCharge } from "../../domain/charges/create-charge.js";
import { dropCharge, expireCharge } from "../../domain/charges/drop-charge.js";
import { completePayment } from "../../domain/charges/pay-charge.js";
import { refundCharge } from "../../domain/charges/refund-charge.js";
import { digitsOf } from "../../domain/values/msisdn.js";
import { refuse } from "../../domain/model/problem-codes.js";
import type { Profile } from "../../domain/profile/profile.js";
import { behaviourOf } from "../../domain/accounts/test-numbers.js";
import { afterStart, planOrder, startTransfer } from "../../domain/transfers/create-transfer.js";
import { completeTransfer, failTransfer } from "../../domain/transfers/settle-transfer.js";
import type { Transfer } from "../../domain/model/transfer.js";
import { Work, type World } from "../../domain/model/work.js";
import type { IdSource } from "../../kernel/ids.js";
import type { Instant } from "../../kernel/instant.js";
import type { ChargeFixture, TransactionFixture } from "./fixture.js";

export interface SeedContext {
  readonly world: World;
  readonly profile: Profile;
  readonly ids: IdSource;
  /** When the company begins. */
  readonly at: Instant;
  readonly nextSeq: () => number;
  /** Where payment pages stand. */
  readonly checkoutUrl: string;
}

/** A unit of work whose events nobody hears of. */
export function inWork<T>(context: SeedContext, at: Instant, change: (work: Work) => T): T {
  const work = new Work({ ...context, at });
  const result = change(work);
  for (const event of work.events) work.remove(context.world.events, event.id);
  work.commit();
  return result;
}

/** A charge, created at `at` and brought to the status that its fixture gives it. */
export function seedCharge(context: SeedContext, fixture: ChargeFixture, at: Instant): void {
  const { amount, externalId, description, onCompletedRedirectionUrl, onCanceledRedirectionUrl, metadata } = fixture;
  const terms = { amount, externalId, description, onCompletedRedirectionUrl, onCanceledRedirectionUrl, metadata };
  if (fixture.id !== undefined) assertIdFree(context.world.charges.get(fixture.id));
  const charge = inWork({ ...context, ids: idsFrom(context.ids, fixture.id) }, at, (work) =>
    createCharge(work, { ...terms, checkoutUrl: context.checkoutUrl }),
  );
  switch (fixture.status) {
    case "due":
      // What would have happened before the company begins has happened, and nobody has heard of it.
      if (charge.expiresAt <= context.at) inWork(context, charge.expiresAt, (work) => expireCharge(work, charge.id));
      return;
    case "dropped":
      inWork(context, at, (work) => dropCharge(work, charge.id, fixture.droppedReason));
      return;
    case "paid":
      inWork(context, at, (work) => pay(work, charge.id, fixture));
      return;
    case "refunded":
    case "refunded_partially":
      inWork(context, at, (work) => {
        pay(work, charge.id, fixture);
        refundCharge(work, { chargeId: charge.id, amount: fixture.refunded });
      });
  }
}

/** Paid at the first attempt, by whichever number: that the reserved ones decline is for payments of an application. */
function pay(work: Work, chargeId: string, { msisdn = work.profile.testNumbers.success }: ChargeFixture): void {
  const charge = getCharge(work, chargeId);
  const entry: ChargeEntry = {
    id: work.ids.uuid(),
    recipientMsisdn: digitsOf(msisdn),
    amount: charge.amount,
    service: work.profile.charges.service,
    status: "completed",
    type: "payment",
    error: null,
  };
  completePayment(work, { ...charge, attempts: 1, silent: behaviourOf(work.profile, msisdn).silent }, entry);
}

/** A transaction, created at `at` and brought to the status that its fixture gives it. */
export function seedTransaction(context: SeedContext, fixture: TransactionFixture, at: Instant): void {
  const { amount, msisdn, reference, description } = fixture;
  const { transfers } = context.world;
  if (fixture.id !== undefined) assertIdFree(transfers.get(fixture.id));
  const conflicts = context.profile.transfers.duplicateReference === "conflict";
  if (conflicts && transfers.findBy("reference", reference) !== undefined) {
    refuse("reference_taken", "its reference was used by an earlier one");
  }
  const transfer = inWork({ ...context, ids: idsFrom(context.ids, fixture.id) }, at, (work) =>
    startTransfer(work, planOrder(work, { amount, msisdn, reference, description }), null),
  );
  switch (fixture.status) {
    case "completed":
      inWork(context, at, (work) => completeTransfer(work, transfer));
      return;
    case "failed":
      inWork(context, at, (work) => failTransfer(work, transfer, fixture.failureReason ?? plannedReason(transfer)));
      return;
    case "pending":
      // Where transfers settle at once, a fixture that is pending stays so until it is brought to an end by hand.
      if (context.profile.transfers.settlement.kind === "immediate") return;
      inWork(context, Math.max(at, context.at), (work) => afterStart(work, transfer));
  }
}

function plannedReason({ plan }: Transfer): string {
  return plan.outcome === "failed" ? plan.reason : "recipient_unreachable";
}

function assertIdFree(holder: object | undefined): void {
  if (holder !== undefined) refuse("invalid_request", "its id is that of an earlier one");
}

/** The given id for the record itself, which is the first to be made; made-up ones for all that belongs to it. */
function idsFrom(ids: IdSource, first: string | undefined): IdSource {
  let given = first;
  return {
    uuid: () => {
      const id = given ?? ids.uuid();
      given = undefined;
      return id;
    },
    short: (prefix) => ids.short(prefix),
    hex32: () => ids.hex32(),
    get position() {
      return ids.position;
    },
  };
}
