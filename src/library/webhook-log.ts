import { renderPayload } from "../contract/payloads.js";
import type { ChargeBody, TransactionBody, WebhookBody } from "../contract/resources.js";
import { webhookTopicOf } from "../domain/deliveries/webhook-topic.js";
import type { Delivery } from "../domain/deliveries/delivery.js";
import type { DomainEvent } from "../domain/events.js";
import { findTopic, type Topic, topicSpellings } from "../domain/subscriptions/topic.js";
import { parseDuration } from "../kernel/duration.js";
import { UsageError } from "../kernel/problem.js";
import { didYouMean } from "../kernel/suggest.js";
import type { Company } from "../sandbox/company.js";

/** Either spelling of a topic. */
export type TopicName =
  | Topic
  | "transaction/started"
  | "transaction/completed"
  | "transaction/failed"
  | "charge/events";

/** The event of a topic, as its webhook tells it. */
export type WebhookEvent<Name extends TopicName = TopicName> = WebhookBody<
  Name extends "charges/events" | "charge/events" ? ChargeBody : TransactionBody
>;

export interface WaitOptions {
  /** Real time; a duration such as `2s`, or ms. Default 5 s. */
  readonly timeout?: string | number;
}

const TIMEOUT_DEFAULT = "5s";

/** What the sandbox tells of its events. */
export interface WebhookLog {
  /**
   * The first event of `topic` that `matches`, past or future, once each subscriber of it has had its first attempt. Rejects after `timeout` with a message
   * that lists what did come.
   */
  waitFor<Name extends TopicName>(
    topic: Name,
    matches?: (event: WebhookEvent<Name>) => boolean,
    options?: WaitOptions,
  ): Promise<WebhookEvent<Name>>;
  /** Every event of `topic` so far (of all topics without one), oldest first. */
  list<Name extends TopicName>(topic?: Name): WebhookEvent<Name>[];
}

export function createWebhookLog(current: () => Company): WebhookLog {
  const told = (topic: Topic | undefined): { event: DomainEvent; webhook: WebhookEvent }[] => {
    const company = current();
    return company.world.events.values().flatMap((event) => {
      const name = webhookTopicOf(company.profile, event);
      if (name === undefined || (topic !== undefined && name !== topic)) return [];
      return [{ event, webhook: JSON.parse(renderPayload(company.profile, name, event)) as WebhookEvent }];
    });
  };
  return {
    async waitFor<Name extends TopicName>(
      topic: Name,
      matches: (event: WebhookEvent<Name>) => boolean = () => true,
      { timeout = TIMEOUT_DEFAULT }: WaitOptions = {},
    ): Promise<WebhookEvent<Name>> {
      const known = parseTopic(topic);
      const { system } = current().deps;
      let expired = false;
      const timer = startTimer(system, parseDuration(timeout), () => (expired = true));
      try {
        for (;;) {
          const company = current();
          const found = told(known).find(({ webhook }) => matches(webhook as WebhookEvent<Name>));
          if (found !== undefined && hasGoneOut(company, found.event)) return found.webhook as WebhookEvent<Name>;
          if (expired)
            throw new UsageError(
              "state",
              describeMissing(
                topic,
                timeout,
                told(undefined).map(({ webhook }) => webhook),
              ),
            );
          await Promise.race([company.changed.next(), timer.elapsed]);
        }
      } finally {
        timer.cancel();
      }
    },
    list: <Name extends TopicName>(topic?: Name) =>
      told(topic === undefined ? undefined : parseTopic(topic)).map(({ webhook }) => webhook as WebhookEvent<Name>),
  };
}

function parseTopic(text: string): Topic {
  const topic = findTopic(text);
  if (topic !== undefined) return topic;
  throw new UsageError(
    "input",
    `"${text}" is not a topic.${didYouMean(text, topicSpellings)} There are ${topicSpellings.join(", ")}.`,
  );
}

/** Each subscriber has answered, or was given up on. */
function hasGoneOut(company: Company, event: DomainEvent): boolean {
  const waits = (delivery: Delivery): boolean => delivery.status === "pending" && delivery.attempts.length === 0;
  return !company.world.deliveries.values().some((delivery) => delivery.eventId === event.id && waits(delivery));
}

function startTimer(system: Company["deps"]["system"], ms: number, onElapsed: () => void) {
  let cancel: () => void = () => undefined;
  const elapsed = new Promise<void>((resolve) => {
    cancel = system.after(ms, () => {
      onElapsed();
      resolve();
    });
  });
  return { elapsed, cancel };
}

function describeMissing(topic: string, timeout: string | number, came: readonly WebhookEvent[]): string {
  const within = typeof timeout === "number" ? `${timeout} ms` : timeout;
  const list = came.map((event) => `  ${event.topic} ${event.data.status} ${JSON.stringify(event.data)}`);
  const what = came.length === 0 ? "None of any topic did." : `These did:\n${list.join("\n")}`;
  return `No matching webhook of ${topic} came within ${within}. ${what}`;
}
