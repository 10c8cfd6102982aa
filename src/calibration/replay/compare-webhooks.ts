import { headerOf } from "../../adapters/har/http-exchange.js";
import { signBody } from "../../domain/deliveries/sign-delivery.js";
import { chargeLifecycle } from "../../domain/model/charge.js";
import { transferLifecycle } from "../../domain/model/transfer.js";
import type { Profile } from "../../domain/profile/profile.js";
import { findTopic } from "../../domain/values/topic.js";
import { type JsonObject, isObject } from "../../kernel/messages/json.js";
import { statusesOf } from "../../kernel/records/lifecycle.js";
import { type Instant, toIso } from "../../kernel/time/instant.js";
import { REDACTED } from "../../sandbox/observation/redact.js";
import type { ExchangeName, RecordedWebhook } from "../recording/entry.js";
import { groupBy } from "../../kernel/collections.js";
import { eventOf, idOf, orderOf, plain, refundOf } from "../recording/resources.js";
import type { Bindings } from "./bindings.js";
import { type Comparison, type Difference, type FoundDifference, asJson, compareBodies } from "./compare.js";

/** An attempt of the sandbox to deliver a webhook. */
export interface SentWebhook {
  readonly at: Instant;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /** The last exchange of the recording before it. */
  readonly exchange: ExchangeName;
}

export interface WebhookOptions extends Comparison {
  readonly webhooks: Profile["webhooks"];
  readonly secretKey: string | undefined;
}

/** The event of a webhook of the sandbox, with the service's id. */
export function sentEventOf(body: JsonObject, bindings: Bindings): string {
  return eventOf(body, (id) => bindings.toTheirs(id));
}

export function topicOf(body: JsonObject): string {
  return findTopic(String(body["topic"])) ?? String(body["topic"]);
}

export interface ComparedWebhooks {
  readonly differences: readonly FoundDifference[];
  readonly unpaired: SentWebhook[];
  /** How much later than the sandbox the service sent the last attempt of an event, ms. */
  readonly delays: ReadonlyMap<string, number>;
}

/** Pairs recorded webhooks with those that the sandbox has sent: the first of an event with the first, and so on. */
export function compareWebhooks(
  recorded: readonly RecordedWebhook[],
  sent: readonly SentWebhook[],
  options: WebhookOptions,
): ComparedWebhooks {
  const { pairs, unpaired } = pair(recorded, sent, options.bindings);
  const places = new Map(sent.map((webhook, place) => [webhook, place]));
  const latest = new Map<string, number>();
  const delays = new Map<string, number>();
  const differences = recorded.flatMap((entry): FoundDifference[] => {
    const { topic: subject, exchange } = entry;
    const ours = pairs.get(entry);
    const added: Difference = { pointer: "", kind: "added", expected: null, got: asJson(entry.body) };
    if (ours === undefined) return [{ ...added, subject, exchange }];
    delays.set(eventOf(entry.body), entry.at - ours.at);
    const lane = `${entry.url} ${idOf(entry.body["data"])}`;
    const place = places.get(ours) ?? 0;
    const isOvertaken = place < (latest.get(lane) ?? -1);
    latest.set(lane, Math.max(place, latest.get(lane) ?? -1));
    const order: Difference = { pointer: "", kind: "order", expected: asJson(ours.body), got: asJson(entry.body) };
    const found = [...(isOvertaken ? [order] : []), ...compareOne(entry, ours, options)];
    return found.map((difference) => ({ ...difference, subject, exchange }));
  });
  return { differences, unpaired, delays };
}

function pair(recorded: readonly RecordedWebhook[], sent: readonly SentWebhook[], bindings: Bindings) {
  const toTheirs = (id: string): string => bindings.toTheirs(id);
  const pairs = new Map<RecordedWebhook, SentWebhook>();
  const left = new Set(sent);
  for (const nameOf of [refundOf, eventOf, orderOf]) {
    const byName = groupBy([...left], ({ body }) => nameOf(body, toTheirs));
    for (const webhook of recorded) {
      const ours = pairs.has(webhook) ? undefined : byName.get(nameOf(webhook.body))?.shift();
      if (ours === undefined) continue;
      pairs.set(webhook, ours);
      left.delete(ours);
    }
  }
  const unpaired = [...left];
  for (const webhook of recorded) {
    if (pairs.has(webhook)) continue;
    const isSame = showsEvent(webhook) ? isSameRefund : mayReportSame;
    const place = unpaired.findIndex(({ body }) => isSame(webhook, body, bindings));
    if (place !== -1) pairs.set(webhook, ...(unpaired.splice(place, 1) as [SentWebhook]));
  }
  return { pairs, unpaired };
}

const chargeStatuses: readonly unknown[] = ["created", ...statusesOf(chargeLifecycle)];
const transferStatuses: readonly unknown[] = statusesOf(transferLifecycle);

/** Whether a webhook shows which event it reports. If the service has changed the form of its webhooks or the words for statuses, other members may show it. */
function showsEvent({ topic, body: { data } }: RecordedWebhook): boolean {
  if (!isObject(data) || typeof data["id"] !== "string") return false;
  return (topic.startsWith("transactions/") ? transferStatuses : chargeStatuses).includes(data["status"]);
}

/** Whether a recorded webhook may report the same event: neither its topic nor its id contradicts that. */
function mayReportSame({ topic, body }: RecordedWebhook, ours: SentWebhook["body"], bindings: Bindings): boolean {
  const { id } = isObject(body["data"]) ? body["data"] : {};
  const isSameTopic = findTopic(topic) === undefined || topic === topicOf(ours);
  return isSameTopic && (typeof id !== "string" || plain(id) === bindings.toTheirs(idOf(ours["data"])));
}

/** Whether both report the same refund: a service may have another status for a partial one. */
function isSameRefund({ body: { data: theirs } }: RecordedWebhook, { data: ours }: JsonObject, bindings: Bindings) {
  if (!isObject(theirs) || !isObject(ours) || plain(String(theirs["id"])) !== bindings.toTheirs(idOf(ours)))
    return false;
  return Number(theirs["refunded"]) > 0 && theirs["refunded"] === ours["refunded"];
}

/** The difference for a webhook that the sandbox has sent and the service has not. */
export function missingWebhook({ body, exchange }: SentWebhook): FoundDifference {
  const missing: Difference = { pointer: "", kind: "missing", expected: asJson(body), got: null };
  return { ...missing, subject: topicOf(body), exchange };
}

function compareOne(theirs: RecordedWebhook, ours: SentWebhook, options: WebhookOptions): Difference[] {
  const { toleranceMs } = options;
  const { method } = theirs.exchange;
  const isLate = Math.abs(theirs.at - ours.at) > toleranceMs;
  return [
    ...(method === "POST" ? [] : [{ pointer: "/method", kind: "value" as const, expected: "POST", got: method }]),
    ...(isLate ? [{ pointer: "/at", kind: "value" as const, expected: toIso(ours.at), got: toIso(theirs.at) }] : []),
    ...compareSignature(theirs, options),
    ...compareTopicHeader(theirs, options),
    ...compareBodies(theirs.body, ours.body, options),
  ];
}

function compareSignature(theirs: RecordedWebhook, { webhooks, secretKey }: WebhookOptions): Difference[] {
  const name = webhooks.signatureHeader;
  const given = headerOf(theirs.headers, name);
  const differs = (got: string | null): Difference[] => [
    { pointer: `/headers/${name}`, kind: "signature", expected: "a valid signature", got },
  ];
  if (given === undefined) return differs(null);
  if (theirs.signature === "invalid") return differs("invalid");
  const isKnown = secretKey !== undefined && given !== REDACTED;
  return isKnown && given !== signBody(Buffer.from(theirs.text), secretKey) ? differs("invalid") : [];
}

/** A header whose value is the topic. */
export function topicHeaderOf({ headers, body }: RecordedWebhook): string | undefined {
  return headers.find(([, value]) => value === body["topic"])?.[0].toLowerCase();
}

function compareTopicHeader(theirs: RecordedWebhook, { webhooks }: WebhookOptions): Difference[] {
  const [expected, got] = [webhooks.topicHeader?.toLowerCase(), topicHeaderOf(theirs)];
  if (expected === got) return [];
  const topic = String(theirs.body["topic"]);
  return [
    ...(got === undefined ? [] : [{ pointer: `/headers/${got}`, kind: "added" as const, expected: null, got: topic }]),
    ...(expected === undefined
      ? []
      : [{ pointer: `/headers/${expected}`, kind: "missing" as const, expected: topic, got: null }]),
  ];
}
