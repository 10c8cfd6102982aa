import { renderPayload } from "../contract/webhooks.js";
import { webhookTopicOf } from "../domain/deliveries/webhook-topic.js";
import type { Delivery } from "../domain/model/delivery.js";
import type { DomainEvent } from "../domain/model/events.js";
import { findTopic, singularOf, type Topic, topicSpellings } from "../domain/values/topic.js";
import { parseDuration } from "../kernel/duration.js";
import { UsageError } from "../kernel/problem.js";
import { quote } from "../kernel/text.js";
import { didYouMean } from "../kernel/suggest.js";
import type { Company } from "../sandbox/company/company.js";
import { describeTimeout } from "./describe-timeout.js";
import type { TopicName, WebhookEvent } from "./webhook-events.js";
import type { WaitOptions, WebhookLog } from "./webhook-log.js";

const TIMEOUT_DEFAULT = "5s";

/** `current` is asked at each call and each wake: a reset puts another company in the place of the first. */
export function createWebhookLog(current: () => Company): WebhookLog {
  return {
    waitFor: (topic, matches = () => true, options = {}) => waitFor(current, topic, matches, options),
    list: <Name extends TopicName>(topic?: Name) =>
      readEvents<Name>(current(), topic && parseTopic(topic), -1).map(({ told }) => told),
  };
}

async function waitFor<Name extends TopicName>(
  current: () => Company,
  name: Name,
  matches: (event: WebhookEvent<Name>) => boolean,
  { timeout = TIMEOUT_DEFAULT }: WaitOptions,
): Promise<WebhookEvent<Name>> {
  const topic = parseTopic(name);
  const timeoutMs = parseDuration(timeout);
  let company = current();
  const { system } = company.deps;
  const end = system.monotonic() + timeoutMs;
  let seen = -1;
  let found: Told<Name> | undefined;
  let unanswered: readonly Delivery[] = [];
  for (;;) {
    const now = current();
    // After a reset the story begins anew: what was found before is no event of it.
    if (now !== company) [company, seen, found] = [now, -1, undefined];
    if (found === undefined) {
      found = readEvents<Name>(company, topic, seen).find(({ told }) => matches(told));
      seen = company.record.seq;
      unanswered = found === undefined ? [] : deliveriesOf(company, found.event);
    }
    unanswered = unanswered.flatMap(({ id }) => company.world.deliveries.get(id) ?? []).filter(isUnanswered);
    if (found !== undefined && unanswered.length === 0) return found.told;
    const left = end - system.monotonic();
    if (left <= 0) {
      const came = readEvents(company, undefined, -1).map(({ told }) => told);
      throw new UsageError("state", describeTimeout({ company, name, timeoutMs, came, unanswered }));
    }
    const { id, events } = company;
    await events.waitFor("changed", ({ company: changed }) => changed.id === id, { system, maxMs: left });
  }
}

/** An event, and what its webhook says. */
interface Told<Name extends TopicName> {
  readonly event: DomainEvent;
  readonly told: WebhookEvent<Name>;
}

/** The events after the place `afterSeq` in the order of the company's records; of a topic, or of all. */
function readEvents<Name extends TopicName>(
  company: Company,
  topic: Topic | undefined,
  afterSeq: number,
): Told<Name>[] {
  const { profile, world } = company;
  const { rows } = world.events.page({ limit: Number.POSITIVE_INFINITY, beyond: afterSeq });
  return rows.flatMap((event) => {
    const itsTopic = webhookTopicOf(profile, event);
    if (itsTopic === undefined || (topic !== undefined && itsTopic !== topic)) return [];
    const spelling = profile.webhooks.topicSpelling === "singular" ? singularOf(itsTopic) : itsTopic;
    // A copy for each reader, who may do with it as they like. Its type is the topic's.
    const told: WebhookEvent<Name> = JSON.parse(renderPayload(profile, spelling, event));
    return [{ event, told }];
  });
}

function deliveriesOf({ world }: Company, event: DomainEvent): readonly Delivery[] {
  // They were owed in the same step as the event, right after it.
  const after = { limit: Number.POSITIVE_INFINITY, beyond: event.seq };
  return world.deliveries.page({ ...after, where: ({ eventId }) => eventId === event.id }).rows;
}

/** Its first attempt is not over. */
function isUnanswered({ status, attempts }: Delivery): boolean {
  return status === "pending" && attempts.length === 0;
}

function parseTopic(name: string): Topic {
  const topic = findTopic(name);
  if (topic !== undefined) return topic;
  throw new UsageError(
    "input",
    `${quote(name)} is not a topic.${didYouMean(name, topicSpellings)} There are ${topicSpellings.join(", ")}.`,
  );
}
