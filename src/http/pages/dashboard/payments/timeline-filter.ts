import type { DeliveryStatus } from "../../../../domain/model/delivery.js";
import type { DomainEvent } from "../../../../domain/model/events.js";
import type { World } from "../../../../domain/model/work.js";
import { searchedFor } from "../parts/list.js";
import { createMatcher } from "../view/search-list.js";
import type { TimelineItem } from "./timeline.js";
import { plainId } from "../../../../domain/values/ids.js";
import type { Query } from "../../../../contract/queries.js";
import { idInPath } from "../../../../sandbox/observation/detector.js";

const isOfKind = {
  requests: ({ kind }: TimelineItem) => kind === "request",
  changes: ({ kind }: TimelineItem) => kind === "change",
  problems: isProblem,
} as const;

export const itemKinds = Object.keys(isOfKind) as (keyof typeof isOfKind)[];

/** What `?only=` and `?q=` of the overview ask for; undefined: everything. */
export function wantedItems(query: Query, world: World): ((item: TimelineItem) => boolean) | undefined {
  const kind = itemKinds.find((known) => known === query["only"]);
  const text = searchedFor(query);
  if (kind === undefined && text === undefined) return undefined;
  const matches = text === undefined ? () => true : createMatcher(text);
  return (item) =>
    (kind === undefined || isOfKind[kind](item)) &&
    namesIn(item, world).some(([texts, numbers]) => matches(texts, numbers));
}

const undelivered: ReadonlySet<DeliveryStatus> = new Set(["failed", "exhausted", "cancelled"]);

/** Refused, lost, broken by a rule, or not accepted by a receiver. */
function isProblem(item: TimelineItem): boolean {
  const isUndelivered = changesIn(item).some(({ deliveries }) =>
    deliveries.some(({ status, attempts }) => undelivered.has(status) || attempts.at(-1)?.error != null),
  );
  if (isUndelivered || item.kind === "change") return isUndelivered;
  const { status, fate, fault } = item.entry;
  return status >= 400 || status === 0 || fate === "lost" || fault !== undefined;
}

function changesIn(item: TimelineItem) {
  return item.kind === "request" ? item.changes : [item.change];
}

type Names = readonly [texts: readonly string[], numbers: readonly string[]];

/** Ids, references and phone numbers of everything that a item is about. */
function namesIn(item: TimelineItem, { charges, transfers }: World): readonly Names[] {
  const ofChanges = changesIn(item).map(({ event }) => namesOf(event));
  if (item.kind === "change") return ofChanges;
  const id = plainId(idInPath(item.entry) ?? "");
  const named = [charges.get(id)?.externalId ?? "", transfers.get(id)?.reference ?? ""];
  return [...ofChanges, [[item.entry.id, item.entry.path, ...named], []]];
}

function namesOf({ type, resource, subject }: DomainEvent): Names {
  const texts = [type, resource ?? ""];
  switch (subject.kind) {
    case "charge": {
      const { externalId, entries } = subject.charge;
      return [[...texts, externalId], entries.map(({ recipientMsisdn }) => recipientMsisdn)];
    }
    case "transaction": {
      const { reference, msisdn } = subject.transaction;
      return [[...texts, reference], [msisdn]];
    }
    case "subscription":
      return [[...texts, subject.subscription.url], []];
    case "batch":
    case "account":
      return [texts, []];
  }
}
