import { parseBody } from "../../adapters/har/http-exchange.js";
import type { Subscription } from "../../domain/model/subscription.js";
import { findTopic } from "../../domain/values/topic.js";
import { type JsonObject, isObject } from "../../kernel/messages/json.js";
import type { RecordedRequest, RecordedWebhook } from "../recording/entry.js";
import { plain } from "../recording/resources.js";
import { readTimestamp } from "../recording/timestamps.js";
import type { SupposedSubscription } from "./suppose.js";

/** A subscription that a request of the recording has made, as it was requested. */
interface Subscribed {
  readonly id: string;
  readonly name: string;
  readonly topic: string;
  readonly url: string;
  readonly createdAt: unknown;
  isDeleted: boolean;
}

/** How many subscriptions are kept for each URL of a webhook. */
const URLS_MAX = 100;

/** The subscriptions that were made before a recording. */
export class EarlierSubscriptions {
  readonly #subscribed: Subscribed[] = [];
  /** The names of subscriptions that the service may have made although it did not say so. */
  readonly #tried = new Set<string>();
  /** The last webhook to each URL, by topic. */
  readonly #received = new Map<Subscription["topic"], Map<string, RecordedWebhook>>();
  /** The URLs of the subscriptions that there were when the first webhook came, by its topic and URL. */
  readonly #subscribedAtFirst = new Map<string, readonly string[]>();
  readonly #listed: (Omit<SupposedSubscription, "isSilent"> & { readonly id: string })[] = [];
  readonly assumptions: string[] = [];

  created({ body: sent, answer }: RecordedRequest): void {
    const order = parseBody(sent ?? "");
    if (!isObject(order)) return;
    if (answer === undefined || answer.status >= 300) {
      this.#tried.add(nameOf(order));
      return;
    }
    const { id, createdAt } = isObject(answer.body) ? answer.body : {};
    const topic = findTopic(String(order["topic"])) ?? String(order["topic"]);
    const [name, url] = [nameOf(order), String(order["url"])];
    this.#subscribed.push({ id: plain(String(id)), name, topic, url, createdAt, isDeleted: false });
  }

  deleted(id: string): void {
    for (const subscription of this.#subscribed) subscription.isDeleted ||= subscription.id === id;
  }

  received(topic: Subscription["topic"], webhook: RecordedWebhook): void {
    const { url } = webhook;
    const received = this.#received.get(topic) ?? new Map<string, RecordedWebhook>();
    this.#received.set(topic, received.set(url, webhook));
    const name = nameOf({ topic, url });
    if (this.#subscribedAtFirst.has(name)) return;
    const subscribed = this.#subscribed.filter((one) => one.topic === topic && !one.isDeleted);
    this.#subscribedAtFirst.set(
      name,
      subscribed.slice(0, URLS_MAX).map((one) => one.url),
    );
  }

  listed(row: unknown): void {
    if (!isObject(row) || this.#tried.has(nameOf(row)) || this.#isCreated(row)) return;
    const { id, topic: spelling, url } = row;
    const topic = findTopic(String(spelling));
    if (typeof id !== "string" || topic === undefined) return;
    const [createdAt, updatedAt] = [row["createdAt"], row["updatedAt"]].map((time) => readTimestamp(time)?.at);
    this.#listed.push({ id, topic, spelling: String(spelling), url: String(url), createdAt, updatedAt });
  }

  /** Whether the recording created it. Ids are not compared, because the answer that created it may show none, or another one. */
  #isCreated(row: JsonObject): boolean {
    const given = nameOf(row);
    const alike = this.#subscribed.filter(({ name }) => name === given);
    return alike.some(({ createdAt = row["createdAt"] }) => createdAt === row["createdAt"]);
  }

  /** The subscriptions that a list shows, and those that only webhooks show. */
  supposed(): SupposedSubscription[] {
    const active = new Set<object>();
    const unlisted: SupposedSubscription[] = [];
    for (const [topic, received] of this.#received) {
      const before = this.#webhooksOfEarlier(topic, received);
      const listed = this.#listed.filter((row) => row.topic === topic);
      const made = this.#urlsMade(topic);
      const isKnown = ({ url }: { url: string }): boolean => received.has(url) || made.has(url);
      const known = listed.filter(isKnown);
      const others = listed.filter((row) => !isKnown(row)).slice(0, Math.max(0, before.length - known.length));
      for (const row of [...known, ...others]) active.add(row);
      for (const { body, url } of before.slice(listed.length)) {
        unlisted.push({ topic, spelling: String(body["topic"]), url, isSilent: false });
        this.assumptions.push(`A subscription to ${topic} was made before the recording.`);
      }
    }
    const listed = this.#listed.map((row) => {
      this.assumptions.push(`The subscription ${row.id} was made before the recording.`);
      return { ...row, isSilent: !active.has(row) };
    });
    return [...listed, ...unlisted];
  }

  /** One webhook for each URL that no subscription of the recording explains. Through a tunnel and the proxy, webhooks arrive at another URL than subscribed. */
  #webhooksOfEarlier(topic: Subscription["topic"], received: ReadonlyMap<string, RecordedWebhook>): RecordedWebhook[] {
    const made = this.#urlsMade(topic);
    const elsewhere = new Set([...made].filter((url) => !received.has(url)));
    return [...received.values()].filter(({ url }) => {
      if (made.has(url)) return false;
      const other = this.#subscribedAtFirst.get(nameOf({ topic, url }))?.find((one) => elsewhere.has(one));
      return other === undefined || !elsewhere.delete(other);
    });
  }

  #urlsMade(topic: Subscription["topic"]): Set<string> {
    return new Set(this.#subscribed.filter((one) => one.topic === topic).map(({ url }) => url));
  }
}

/** Identifies a subscription by its topic and URL. */
function nameOf({ topic, url }: JsonObject): string {
  return `${String(topic)} ${String(url)}`;
}
