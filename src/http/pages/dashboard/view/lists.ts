import type { Query } from "../../../../contract/queries.js";
import { shownBatchStatus } from "../../../../contract/transfers.js";
import { type LedgerEntry, ledgerEntryTypes } from "../../../../domain/model/account.js";
import { type Charge, chargeLifecycle } from "../../../../domain/model/charge.js";
import type { Customer } from "../../../../domain/model/customer.js";
import { type Delivery, deliveryLifecycle } from "../../../../domain/model/delivery.js";
import { digitsOf, isMsisdn, msisdnKey } from "../../../../domain/values/msisdn.js";
import { type Subscription, shownTopic } from "../../../../domain/model/subscription.js";
import { findTopic, topics } from "../../../../domain/values/topic.js";
import { type Batch, type Transfer, transferLifecycle } from "../../../../domain/model/transfer.js";
import { statusesOf } from "../../../../kernel/lifecycle.js";
import type { Row, Table } from "../../../../kernel/table.js";
import type { Company } from "../../../../sandbox/company/company.js";
import { type Searched, searchList } from "./search-list.js";
import { plainId } from "../../../../domain/values/ids.js";

/** Of a list, so many at a time. */
export const ROWS_SHOWN = 50;

export const chargeStatuses = statusesOf(chargeLifecycle);
export const transferStatuses = statusesOf(transferLifecycle);
export const deliveryStatuses = statusesOf(deliveryLifecycle);

/** What a page's address narrows its list to: `?status=`, `?q=`, and which part of it is shown. Anything else is as if it were not there. */

export function listCharges({ world: { charges } }: Company, query: Query): Searched<Charge> {
  const status = oneOf(chargeStatuses, query["status"]);
  return search(charges, query, {
    exactly: (text) => charges.get(text) ?? charges.findBy("externalId", text),
    isIn: (charge) => status === undefined || charge.status === status,
    texts: ({ id, externalId, description }) => [id, externalId, description],
    numbers: ({ entries }) => entries.map(({ recipientMsisdn }) => recipientMsisdn),
  });
}

export function listTransfers({ world: { transfers } }: Company, query: Query): Searched<Transfer> {
  const status = oneOf(transferStatuses, query["status"]);
  return search(transfers, query, {
    exactly: (text) => transfers.get(plainId(text)) ?? transfers.findBy("reference", text),
    isIn: (transfer) => status === undefined || transfer.status === status,
    texts: ({ id, reference, description = "" }) => [id, reference, description],
    numbers: ({ msisdn }) => [msisdn],
  });
}

export function batchStatuses({ profile }: Company): readonly string[] {
  return ["processing", profile.batch.finalStatus];
}

export function listBatches(company: Company, query: Query): Searched<Batch> {
  const { world, profile } = company;
  const status = oneOf(batchStatuses(company), query["status"]);
  return search(world.batches, query, {
    exactly: (text) => world.batches.get(plainId(text)),
    isIn: (batch) => status === undefined || shownBatchStatus(batch, profile) === status,
    texts: ({ id }) => [id],
    numbers: () => [],
  });
}

export function listCustomers({ world: { customers } }: Company, query: Query): Searched<Customer> {
  return search(customers, query, {
    exactly: (text) => (isMsisdn(text) ? customers.get(msisdnKey(text)) : undefined),
    isIn: () => true,
    texts: ({ firstName, lastName, kycStatus }) => [`${firstName} ${lastName}`, kycStatus],
    numbers: ({ msisdn }) => [msisdn],
  });
}

export function listEntries({ world: { ledger } }: Company, query: Query): Searched<LedgerEntry> {
  const type = oneOf(ledgerEntryTypes, query["type"]);
  return search(ledger, query, {
    exactly: (text) => ledger.get(text),
    isIn: (entry) => type === undefined || entry.type === type,
    texts: ({ id, resource }) => [id, resource ?? ""],
    numbers: () => [],
  });
}

export function listDeliveries({ world: { deliveries } }: Company, query: Query): Searched<Delivery> {
  const status = oneOf(deliveryStatuses, query["status"]);
  const topic = oneOf(topics, query["topic"]);
  return search(deliveries, query, {
    exactly: (text) => deliveries.get(text),
    isIn: (delivery) =>
      (status === undefined || delivery.status === status) &&
      (topic === undefined || findTopic(delivery.topic) === topic),
    texts: ({ id, resource, url, subscriptionId }) => [id, resource, url, subscriptionId],
    numbers: () => [],
  });
}

export function listSubscriptions(
  { world: { subscriptions }, profile }: Company,
  query: Query,
): Searched<Subscription> {
  return search(subscriptions, query, {
    exactly: (text) => subscriptions.get(text),
    isIn: () => true,
    texts: (subscription) => [subscription.id, subscription.url, shownTopic(profile, subscription)],
    numbers: () => [],
  });
}

/** What a reader looks for, as it was typed; undefined: nothing. */
export function searchedFor(query: Query): string | undefined {
  const text = query["q"]?.trim() ?? "";
  return text === "" ? undefined : text;
}

interface Searching<T> {
  /** The one row that has this id or reference, found without looking at others. */
  readonly exactly: (text: string) => T | undefined;
  /** Whether it has the status that was asked for. */
  readonly isIn: (row: T) => boolean;
  readonly texts: (row: T) => readonly string[];
  /** Phone numbers, each found by whatever way of writing it. */
  readonly numbers: (row: T) => readonly string[];
}

function search<T extends Row>(table: Pick<Table<T>, "page">, query: Query, searching: Searching<T>): Searched<T> {
  const { exactly, isIn, texts, numbers } = searching;
  const text = searchedFor(query);
  const request = { limit: ROWS_SHOWN, cursor: query["cursor"] };
  const isNarrowed = ["status", "type", "topic"].some((name) => query[name] !== undefined);
  if (text === undefined) return searchList(table, { ...request, where: isNarrowed ? isIn : undefined });
  const hit = exactly(text);
  const exact = hit !== undefined && isIn(hit) ? hit : undefined;
  const needle = plainId(text).toLowerCase();
  const digits = isMsisdn(text) ? msisdnKey(text) : /^\+?\d+$/.test(text) ? digitsOf(text).replace("+", "") : undefined;
  const where = (row: T): boolean =>
    row.id !== exact?.id &&
    isIn(row) &&
    (texts(row).some((said) => said.toLowerCase().includes(needle)) ||
      (digits !== undefined && numbers(row).some((number) => digitsOf(number).includes(digits))));
  const found = searchList(table, { ...request, where });
  // Where it stands among the others does not matter to who typed the whole of it.
  return exact === undefined || found.prev !== null ? found : { ...found, rows: [exact, ...found.rows] };
}

function oneOf<const Value extends string>(values: readonly Value[], text: string | undefined): Value | undefined {
  return values.find((value) => value === text);
}
