import { renderCharge } from "../../contract/charges.js";
import { renderBalance } from "../../contract/queries.js";
import { renderSubscription } from "../../contract/subscriptions.js";
import { renderBatchHead, renderTransfer } from "../../contract/transfers.js";
import { transactionId } from "../../domain/values/ids.js";
import { type LedgerEntry, shownEntryResource } from "../../domain/model/account.js";
import { balanceOf, effectOnBalance } from "../../domain/accounts/ledger.js";
import { toXof } from "../../domain/values/money.js";
import type { Customer } from "../../domain/model/customer.js";
import { ANSWERS_KEPT, type Attempt, type Delivery, shownDeliveryResource } from "../../domain/model/delivery.js";
import { sentBody } from "../../domain/deliveries/sign-delivery.js";
import { type DomainEvent, shownEventResource } from "../../domain/model/events.js";
import { parseProfile } from "../../domain/profile/parse-profile.js";
import type { Profile } from "../../domain/profile/profile.js";
import { toIso } from "../../kernel/time/instant.js";
import { Bug } from "../../kernel/messages/problem.js";
import type { Company } from "../../sandbox/company/company.js";
import { type Identity, usableToken } from "../../sandbox/state/company-record.js";
import { shownSubject } from "../../domain/model/work.js";
import type { ProfileValues } from "../../domain/profile/settings.js";

/** What the control API shows: ids as the API gives them, amounts in XOF, timestamps in ISO with milliseconds. */

export function renderClock(company: Company) {
  const next = company.world.due.peek();
  return {
    mode: company.clock.mode,
    now: toIso(company.now()),
    pendingTimers: company.world.due.size,
    next: next === undefined ? null : { at: toIso(next.dueAt), kind: next.kind, id: shownSubject(next) },
  };
}

export function renderCompany(company: Company) {
  return {
    ...renderIdentity(company.record.identity),
    balance: toXof(balanceOf(company)),
    clock: renderClock(company),
    profile: profileValuesOf(company),
  };
}

/** `accessToken` is the token to use; `accessTokens` lists all of them, including rotated ones that are still accepted. */
export function renderIdentity(identity: Identity) {
  const { id, tokens, secretKey } = identity;
  return {
    companyId: id,
    accessToken: usableToken(identity) || null,
    secretKey,
    accessTokens: tokens.map(({ token, expiresAt }) => ({
      accessToken: token,
      expiresAt: expiresAt === null ? null : toIso(expiresAt),
    })),
  };
}

/** Every setting, nested, in the form in which a user writes it. */
export function profileValuesOf(company: Company): ProfileValues {
  const parsed = parseProfile(company.record.overrides);
  if (!parsed.ok) throw new Bug(`The profile of ${company.id} is wrong: ${JSON.stringify(parsed.problems)}`);
  return parsed.values;
}

/** `amount` is the change of the balance, `balance` its value afterwards. */
export function renderEntry(entry: LedgerEntry) {
  return {
    id: entry.id,
    at: toIso(entry.at),
    type: entry.type,
    resource: shownEntryResource(entry),
    amount: toXof(effectOnBalance(entry)),
    balance: toXof(entry.balance),
    postings: entry.postings.map(({ account, amount }) => ({ account, amount: toXof(amount) })),
  };
}

export function renderCustomer({ msisdn, firstName, lastName, kycStatus }: Customer) {
  return { msisdn, firstName, lastName, kycStatus };
}

/** `bodiesShown`: how many of the newest attempts are shown with their bodies. */
export function renderDelivery(
  delivery: Delivery,
  { bodiesShown = ANSWERS_KEPT }: { readonly bodiesShown?: number } = {},
) {
  return {
    id: delivery.id,
    topic: delivery.topic,
    url: delivery.url,
    resource: shownDeliveryResource(delivery),
    status: delivery.status,
    nextAttemptAt: delivery.nextAttemptAt === null ? null : toIso(delivery.nextAttemptAt),
    attempts: delivery.attempts.map((attempt, at) => renderAttempt(shownBody(delivery, at + 1, bodiesShown), attempt)),
  };
}

/** Empty for older attempts, whose answers are not kept either: 200 bodies of a megabyte would take a second. */
function shownBody(delivery: Delivery, attempt: number, bodiesShown: number): string {
  return attempt > delivery.attempts.length - bodiesShown ? sentBody(delivery, attempt).toString() : "";
}

/** The headers hold the signature of the attempt, made with the secret key of its time. */
function renderAttempt(body: string, { at, status, latencyMs, error, requestHeaders, response }: Attempt) {
  return { at: toIso(at), status, latencyMs, error, request: { headers: requestHeaders, body }, response };
}

/** `data` is the resource right after the event, as a GET of it shows it. */
export function renderEvent(event: DomainEvent, profile: Profile) {
  return {
    id: event.id,
    at: toIso(event.at),
    type: event.type,
    resource: shownEventResource(event),
    data: dataOf(event, profile),
  };
}

function dataOf({ subject }: DomainEvent, profile: Profile) {
  switch (subject.kind) {
    case "charge":
      return renderCharge(subject.charge, "read", profile);
    case "transaction":
      return renderTransfer(subject.transaction, "read", profile);
    case "batch":
      return {
        ...renderBatchHead(subject.batch, profile),
        transactionIds: subject.batch.transactionIds.map(transactionId),
      };
    case "subscription":
      return renderSubscription(subject.subscription, profile);
    case "account":
      return renderBalance(subject.balance);
  }
}
