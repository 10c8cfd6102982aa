import type { Query } from "../../../../contract/queries.js";
import type { DeliveryStatus } from "../../../../domain/model/delivery.js";
import type { DomainEvent } from "../../../../domain/model/events.js";
import { digitsOf, isMsisdn, msisdnKey } from "../../../../domain/values/msisdn.js";
import type { World } from "../../../../domain/model/work.js";
import { idInPath } from "../../../../sandbox/observation/detector.js";
import type { JournalEntry } from "../../../../sandbox/observation/journal.js";
import type { Story } from "../view/timeline.js";
import { searchedFor } from "../view/lists.js";
import { plainId } from "../../../../domain/values/ids.js";

export const storyKinds = ["requests", "changes", "problems"] as const;
type StoryKind = (typeof storyKinds)[number];

/** What `?only=` and `?q=` of the overview narrow the story to; undefined: nothing. */
export function wantedStories(query: Query, world: World): ((story: Story) => boolean) | undefined {
  const kind = storyKinds.find((known) => known === query["only"]);
  const text = searchedFor(query);
  if (kind === undefined && text === undefined) return undefined;
  const isNamed = text === undefined ? () => true : namedBy(text, world);
  return (story) => (kind === undefined || isOfKind[kind](story)) && isNamed(story);
}

const isOfKind: Readonly<Record<StoryKind, (story: Story) => boolean>> = {
  requests: ({ kind }) => kind === "request",
  changes: ({ kind }) => kind === "change",
  problems: isProblem,
};

const failed: ReadonlySet<DeliveryStatus> = new Set(["failed", "exhausted", "cancelled"]);

/** Refused, lost, by a rule made to fail, or not taken by a receiver. */
function isProblem(story: Story): boolean {
  const changes = story.kind === "request" ? story.changes : [story.change];
  const isUntold = changes.some(({ deliveries }) =>
    deliveries.some(({ status, attempts }) => failed.has(status) || attempts.at(-1)?.error != null),
  );
  if (isUntold || story.kind === "change") return isUntold;
  const { status, fate, fault } = story.entry;
  return status >= 400 || status === 0 || fate === "lost" || fault !== undefined;
}

/** By an id with or without its prefix, a part of a reference, or a phone number in whatever way it is written. */
function namedBy(text: string, world: World): (story: Story) => boolean {
  const needle = plainId(text).toLowerCase();
  const digits = isMsisdn(text) ? msisdnKey(text) : undefined;
  const says = (said: string): boolean => said.toLowerCase().includes(needle);
  const isAbout = (event: DomainEvent): boolean => {
    const { texts, numbers } = namesIn(event);
    return texts.some(says) || (digits !== undefined && numbers.some((number) => digitsOf(number).includes(digits)));
  };
  return (story) => {
    if (story.kind === "change") return isAbout(story.change.event);
    return story.changes.some(({ event }) => isAbout(event)) || namesOf(story.entry, world).some(says);
  };
}

function namesIn({ type, resource, subject }: DomainEvent) {
  const texts = [type, resource ?? ""];
  switch (subject.kind) {
    case "charge": {
      const { externalId, entries } = subject.charge;
      return { texts: [...texts, externalId], numbers: entries.map(({ recipientMsisdn }) => recipientMsisdn) };
    }
    case "transaction": {
      const { reference, msisdn } = subject.transaction;
      return { texts: [...texts, reference], numbers: [msisdn] };
    }
    case "subscription":
      return { texts: [...texts, subject.subscription.url], numbers: [] };
    case "batch":
    case "account":
      return { texts, numbers: [] };
  }
}

/** A request is known by its own id, by its path, and by what that names. */
function namesOf(entry: JournalEntry, { charges, transfers }: World): readonly string[] {
  const id = plainId(idInPath(entry) ?? "");
  const named = [charges.get(id)?.externalId, transfers.get(id)?.reference];
  return [entry.id, entry.path, ...named.filter((name) => name !== undefined)];
}
