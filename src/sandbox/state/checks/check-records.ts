import { URL_LENGTH_MAX } from "../../../contract/subscriptions.js";
import { findTopic } from "../../../domain/values/topic.js";
import { msisdnKey } from "../../../domain/values/msisdn.js";
import { HELD_MAX } from "../../../domain/deliveries/enqueue-deliveries.js";
import { RULES_BYTES_MAX, RULES_MAX, rulesBytes } from "../../../domain/rules/change-rules.js";
import { countHeld } from "../../../domain/rules/holds.js";
import { isHolding } from "../../../domain/rules/use-rule.js";
import type { EventSubject } from "../../../domain/model/events.js";
import type { Row } from "../../../kernel/records/table.js";
import { problemOfCount } from "../../../kernel/fields.js";
import { quote } from "../../../kernel/messages/text.js";
import { checkDueWork } from "./check-due-work.js";
import { checkMoney } from "./check-money.js";
import { type Complain, type Records, eachOf } from "./records.js";

/**
 * Problems between records, which no operation can cause: a `seq` or id that occurs twice, references to nothing, amounts that do not fit together, due work
 * that is missing or belongs to nothing.
 */
export function checkRecords(records: Records): string[] {
  return [...checkOrder(records), ...checkReferences(records), ...checkMoney(records), ...checkDueWork(records)];
}

/** Checks the numbers that a company counts up: they must begin low enough. */
export function checkCounts({
  seq,
  idPosition,
  charges,
  rules,
}: Pick<Records, "seq" | "charges" | "rules"> & { readonly idPosition: number }): string[] {
  const counts: [string, number][] = [
    ["seq", seq],
    ["idPosition", idPosition],
    ...charges.map(({ attempts }, index): [string, number] => [`charges[${index}].attempts`, attempts]),
    ...rules.flatMap(({ matched, fired }, index): [string, number][] => [
      [`rules[${index}].matched`, matched],
      [`rules[${index}].fired`, fired],
    ]),
  ];
  return counts.flatMap(([path, value]) => {
    const problem = problemOfCount(value);
    return problem === undefined ? [] : [`${path} ${problem}`];
  });
}

/** Checks that each id occurs once, and that records are in the order of their `seq`, which is at most that of the company. */
function checkOrder({ now: _, seq: last, ...tables }: Records): string[] {
  const problems: string[] = [];
  for (const [name, rows] of Object.entries<readonly Row[]>(tables)) {
    const seqs = new Set<number>();
    const ids = new Set<string>();
    let before = -1;
    eachOf(problems, name, rows, ({ id, seq }, complain) => {
      if (ids.has(id)) complain("id", "is given twice");
      if (seqs.has(seq)) complain("seq", "is given twice");
      else if (seq < before && name !== "due")
        complain("seq", `must be more than that of the record before it, ${before}`);
      if (seq > last) complain("seq", `must be at most seq, ${last}`);
      ids.add(id);
      seqs.add(seq);
      before = seq;
    });
  }
  return problems;
}

function checkReferences(records: Records): string[] {
  const problems: string[] = [];
  const { charges, transactions, payments, holds, deliveries, rules } = records;
  const ids = { charge: idsOf(charges), transaction: idsOf(transactions) };
  const holding = new Map(rules.filter(isHolding).map((rule) => [rule.id, rule]));
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  const externalIds = new Set<string>();
  eachOf(problems, "charges", charges, ({ externalId }, complain) => {
    if (externalIds.has(externalId)) complain("externalId", "is given twice");
    externalIds.add(externalId);
  });
  // Ledger entries, deliveries and holds know a resource by its id alone.
  eachOf(problems, "transactions", transactions, ({ id }, complain) => {
    if (ids.charge.has(id)) complain("id", "is the id of a charge");
  });
  eachOf(problems, "payments", payments, ({ chargeId }, complain) => {
    if (!ids.charge.has(chargeId)) complain("chargeId", "is the id of no charge");
  });
  eachOf(problems, "deliveries", deliveries, ({ resource, resourceKind, topic, turn, url }, complain) => {
    checkLength(url, complain);
    if (!ids[resourceKind].has(resource)) complain("resource", `is the id of no ${resourceKind}`);
    if (findTopic(topic) === undefined) complain("topic", `must be a topic, got ${quote(topic)}`);
    if (turn > records.seq) complain("turn", `must be at most seq, ${records.seq}`);
  });
  const held = new Set<string>();
  eachOf(problems, "holds", holds, ({ ruleId, resource, eventId, deliveryIds }, complain) => {
    const rule = holding.get(ruleId);
    if (rule === undefined) complain("ruleId", "is the id of no rule that holds deliveries (reverse, hold)");
    else if ((eventId === null) !== (rule.then.reverse === true))
      complain("eventId", `must be ${eventId === null ? "the id of an event" : "null"}, as its rule demands`);
    for (const id of deliveryIds) {
      const delivery = byId.get(id);
      if (delivery === undefined) complain("deliveryIds", "has the id of no delivery");
      else if (delivery.resource !== resource) complain("deliveryIds", `has a delivery of another resource, ${id}`);
      else if (eventId !== null && delivery.eventId !== eventId)
        complain("deliveryIds", `has a delivery of another event, ${id}`);
      if (held.has(id)) complain("deliveryIds", `has a delivery that is held already, ${id}`);
      held.add(id);
    }
  });
  const total = countHeld(holds);
  if (total > HELD_MAX) problems.push(`holds must have at most ${HELD_MAX} deliveries together, got ${total}`);
  checkRest(problems, records);
  return problems;
}

function checkRest(problems: string[], { customers, subscriptions, events, rules, holds }: Records): void {
  eachOf(problems, "customers", customers, ({ id, msisdn }, complain) => {
    const key = msisdnKey(msisdn);
    if (id !== key) complain("id", `must be ${quote(key)}, the national number, got ${quote(id)}`);
  });
  eachOf(problems, "subscriptions", subscriptions, ({ topic, spelling, url }, complain) => {
    checkLength(url, complain);
    if (findTopic(spelling) !== topic) complain("spelling", `must be a spelling of ${topic}, got ${quote(spelling)}`);
  });
  eachOf(problems, "events", events, ({ type, resource, subject }, complain) => {
    const { kind, id } = subjectOf(subject);
    if (!type.startsWith(`${kind}.`)) complain("type", `must begin with ${kind}., like its subject`);
    if (resource !== id) complain("resource", `must be ${id === null ? "null" : quote(id)}, as in its subject`);
  });
  if (rules.length > RULES_MAX) problems.push(`rules must be at most ${RULES_MAX}, got ${rules.length}`);
  if (rulesBytes(rules) > RULES_BYTES_MAX) problems.push(`rules must have at most ${RULES_BYTES_MAX} bytes together`);
  const holding = new Set(holds.map(({ ruleId }) => ruleId));
  eachOf(problems, "rules", rules, (rule, complain) => {
    if (rule.timesLeft !== 0 || (isHolding(rule) && holding.has(rule.id))) return;
    complain("timesLeft", "must be null or at least 1 for a rule that holds nothing");
  });
}

function checkLength(url: string, complain: Complain): void {
  if (url.length > URL_LENGTH_MAX) complain("url", `must have at most ${URL_LENGTH_MAX} characters`);
}

/** The first part of the types of its events, and its id. */
function subjectOf(subject: EventSubject): { readonly kind: string; readonly id: string | null } {
  switch (subject.kind) {
    case "charge":
      return { kind: "charge", id: subject.charge.id };
    case "transaction":
      return { kind: "transaction", id: subject.transaction.id };
    case "batch":
      return { kind: "batch", id: subject.batch.id };
    case "subscription":
      return { kind: "subscription", id: subject.subscription.id };
    case "account":
      return { kind: "balance", id: null };
  }
}

function idsOf(rows: readonly Row[]): ReadonlySet<string> {
  return new Set(rows.map(({ id }) => id));
}
