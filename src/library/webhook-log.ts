import * as z from "zod";
import { webhookTopicOf } from "../domain/deliveries/webhook-topic.js";
import type { Delivery, DeliveryStatus } from "../domain/model/delivery.js";
import type { DomainEvent } from "../domain/model/events.js";
import { type Topic, findTopic, singularOf, topicSpellings } from "../domain/values/topic.js";
import { formatDuration, parseDuration } from "../kernel/time/duration.js";
import { UsageError } from "../kernel/messages/problem.js";
import { show } from "../domain/profile/setting-problems.js";
import { didYouMean } from "../kernel/messages/suggest.js";
import type { Company } from "../sandbox/company/company.js";
import { checkOptions } from "./sandbox-options.js";
import type { TopicName, WebhookEvent } from "./webhook-events.js";
import { toIso } from "../kernel/time/instant.js";
import { renderPayload } from "../contract/webhooks.js";
import { shownSubject } from "../domain/model/work.js";
import { shorten } from "../kernel/messages/text.js";

/** The webhooks of a company's events, with or without subscribers. */
export interface WebhookLog {
  /**
   * Waits for this company's first event of a topic that `matches`, past or future. Resolves once every subscriber of the event has answered its
   * first attempt, or failed to. Does not move time: advance a frozen clock first if the event needs it.
   *
   * Rejects with `UsageError` after `timeout` (the message lists the webhooks that came, and what is due next), when the company is closed, and
   * for an unknown topic. Also rejects with the errors of `matches`.
   *
   * @param topic in either spelling, `charges/events` or `charge/events`.
   * @param matches by default every event of the topic.
   *
   * @example
   * ```ts
   * const { data: charge } = await sandbox.webhooks.waitFor("charges/events", ({ data }) => data.status === "paid");
   * ```
   */
  waitFor<Name extends TopicName>(
    topic: Name,
    matches?: (event: WebhookEvent<Name>) => boolean,
    options?: WaitOptions,
  ): Promise<WebhookEvent<Name>>;
  /** All events so far, or those of one topic, oldest first. Throws `UsageError` for an unknown topic. */
  list<Name extends TopicName>(topic?: Name): readonly WebhookEvent<Name>[];
}

/** A webhook on its way to one subscriber. */
export interface WebhookDelivery {
  readonly id: string;
  readonly topic: string;
  readonly url: string;
  /** The id of the charge or transaction that it is about. */
  readonly resource: string;
  readonly status: DeliveryStatus;
  /** ISO 8601 on the company's clock; null when no attempt is planned. */
  readonly nextAttemptAt: string | null;
  readonly attempts: readonly WebhookAttempt[];
}

export interface WebhookAttempt {
  /** ISO 8601 on the company's clock. */
  readonly at: string;
  /** The status of the receiver's answer; null when none came. */
  readonly status: number | null;
  /** Real time, ms. */
  readonly latencyMs: number;
  /** Why the attempt failed; null when it was acknowledged. */
  readonly error: string | null;
  /** The body is empty after 20 later attempts. */
  readonly request: { readonly headers: Readonly<Record<string, string>>; readonly body: string };
  /** The body is cut after 4 KiB. Null when no answer came, or after 20 later attempts; after one if the company has over 2000 deliveries. */
  readonly response: { readonly headers: Readonly<Record<string, string>>; readonly body: string } | null;
}

export interface WaitOptions {
  /** How long to wait, in real time: `2s`, `PT2S`, or a number of milliseconds. Default 5 s. */
  readonly timeout?: string | number;
}

interface Missed {
  readonly company: Company;
  readonly name: string;
  readonly timeoutMs: number;
  /** Deliveries of the matching event whose first attempt has not ended. */
  readonly unanswered: readonly Delivery[];
}

/** The message lists at most this many webhooks, the latest. */
const CAME_MAX = 20;
const LINE_MAX = 400;

/** Lists the webhooks that came, and what is due next on the clock. */
function describeTimeout({ company, name, timeoutMs, unanswered }: Missed): string {
  const failed = `Failed to wait for a webhook of ${name}`;
  const within = `within ${formatDuration(timeoutMs)}`;
  if (unanswered.length > 0) {
    const to = unanswered.map(({ url, id }) => `  ${url} (${id})`).join("\n");
    return `${failed}: one that matches happened, but these subscribers did not answer it ${within}:\n${to}`;
  }
  const lines = [`${failed}: none that matches came ${within}. ${describeCame(company)}`];
  const next = company.world.due.peek();
  if (company.clock.mode === "frozen" && next !== undefined) {
    lines.push(
      `The clock stands still at ${toIso(company.now())}. Due next: ${next.kind} of ${shownSubject(next)} in ${formatDuration(next.dueAt - company.now())}. Advance the clock if that is what is waited for.`,
    );
  }
  return lines.join("\n");
}

function describeCame(company: Company): string {
  const events = readEvents(company, undefined, -1);
  if (events.length === 0) return "None of any topic did.";
  const lines = events.slice(-CAME_MAX).map((reported) => {
    const { topic, data } = renderBody(company, reported);
    return `  ${topic} ${data.status} ${shorten(JSON.stringify(data), LINE_MAX)}`;
  });
  const before = events.length - lines.length;
  return [`These did:`, ...(before > 0 ? [`  … ${before} before`] : []), ...lines].join("\n");
}

const TIMEOUT_DEFAULT = "5s";

/** `current` is called each time, because a reset replaces the company. Messages pass through `redact`, since webhooks quote what clients sent. */
export function createWebhookLog(current: () => Company, redact: (text: string) => string): WebhookLog {
  return {
    waitFor: (topic, matches = () => true, options = {}) => waitFor({ current, redact }, topic, matches, options),
    list: <Name extends TopicName>(topic?: Name) => {
      const wanted = topic === undefined ? undefined : parseTopic(topic);
      return readEvents(current(), wanted, -1).map((reported) => renderBody<Name>(current(), reported));
    },
  };
}

async function waitFor<Name extends TopicName>(
  { current, redact }: { readonly current: () => Company; readonly redact: (text: string) => string },
  name: Name,
  matches: (event: WebhookEvent<Name>) => boolean,
  options: WaitOptions,
): Promise<WebhookEvent<Name>> {
  const topic = parseTopic(name);
  const isTest = typeof matches === "function";
  const problems = isTest ? [] : [`matches must be a function, got ${show(matches)}.`];
  checkOptions("wait for a webhook", options, { timeout: z.unknown() }, problems);
  const { timeout = TIMEOUT_DEFAULT } = options;
  const timeoutMs = parseDuration(timeout);
  let company = current();
  const { system } = company.deps;
  const end = system.monotonic() + timeoutMs;
  let seen = -1;
  let found: Reported | undefined;
  let unanswered: readonly Delivery[] = [];
  for (;;) {
    const now = current();
    // Events before a reset do not count.
    if (now !== company) [company, seen, found] = [now, -1, undefined];
    if (found === undefined) {
      found = readEvents(company, topic, seen).find((reported) =>
        assertDecided(matches(renderBody<Name>(company, reported))),
      );
      seen = company.record.seq;
      unanswered = found === undefined ? [] : deliveriesOf(company, found.event);
    }
    unanswered = unanswered.flatMap(({ id }) => company.world.deliveries.get(id) ?? []).filter(isUnanswered);
    if (found !== undefined && unanswered.length === 0) return renderBody<Name>(company, found);
    const left = end - system.monotonic();
    if (left <= 0) {
      throw new UsageError("state", redact(describeTimeout({ company, name, timeoutMs, unanswered })));
    }
    const { id, events } = company;
    await events.waitFor("changed", ({ company: changed }) => changed.id === id, { system, maxMs: left });
  }
}

/** A promise would count as true, whatever it resolves to, so a test with an async function would always pass. */
function assertDecided(result: unknown): boolean {
  // In Jest the promises of `fetch` are no instances of the test's `Promise`.
  if (typeof result !== "object" || result === null || !("then" in result)) return Boolean(result);
  Promise.resolve(result).catch(() => undefined);
  throw new UsageError("input", "Failed to wait for a webhook: matches must return true or false, not a promise.");
}

/** An event that webhooks report, under this topic. */
interface Reported {
  readonly event: DomainEvent;
  readonly topic: Topic;
}

/** The reported events after the record with the seq `afterSeq`, of one topic or of all. */
function readEvents({ profile, world }: Company, wanted: Topic | undefined, afterSeq: number): Reported[] {
  const { rows } = world.events.page({ limit: Number.POSITIVE_INFINITY, beyond: afterSeq });
  return rows.flatMap((event) => {
    const topic = webhookTopicOf(profile, event);
    return topic === undefined || (wanted !== undefined && topic !== wanted) ? [] : [{ event, topic }];
  });
}

/** The body of the event's webhook. Each caller gets its own copy. */
function renderBody<Name extends TopicName>({ profile }: Company, { event, topic }: Reported): WebhookEvent<Name> {
  const spelling = profile.webhooks.topicSpelling === "singular" ? singularOf(topic) : topic;
  return JSON.parse(renderPayload(profile, spelling, event));
}

function deliveriesOf({ world }: Company, event: DomainEvent): readonly Delivery[] {
  // Deliveries are enqueued in the commit of their event, so they come right after it.
  const after = { limit: Number.POSITIVE_INFINITY, beyond: event.seq };
  return world.deliveries.page({ ...after, where: ({ eventId }) => eventId === event.id }).rows;
}

/** Whether the first attempt has not ended. */
function isUnanswered({ status, attempts }: Delivery): boolean {
  return status === "pending" && attempts.length === 0;
}

function parseTopic(name: string): Topic {
  const topic = findTopic(name);
  if (topic !== undefined) return topic;
  const question = typeof name === "string" ? didYouMean(name, topicSpellings) : "";
  throw new UsageError("input", `${show(name)} is not a topic.${question} There are ${topicSpellings.join(", ")}.`);
}
