import type { Subscription } from "../../domain/model/subscription.js";
import { parseBody } from "../../adapters/har/http-exchange.js";
import { findTopic } from "../../domain/values/topic.js";
import { isObject } from "../../kernel/messages/json.js";
import { type WorldFixture, emptyFixture, worldLists } from "../../sandbox/state/fixture.js";
import type { Instant } from "../../kernel/time/instant.js";
import { plain } from "./bindings.js";
import type { History, RecordedRequest, RecordedWebhook } from "./history.js";
import { readTimestamp } from "./timestamps.js";

/** What was there before the recording began, as far as the recording shows it. */
export interface Presupposed {
  readonly world: WorldFixture;
  /** Those that the service lists. */
  readonly subscriptions: readonly ListedSubscription[];
  /** In words. */
  readonly assumptions: readonly string[];
}

export interface ListedSubscription extends Pick<Subscription, "id" | "topic" | "spelling" | "url"> {
  readonly createdAt: Instant | undefined;
  readonly updatedAt: Instant | undefined;
  /** No webhook of the recording is by it: it may be of another system with the same account. */
  readonly isSilent: boolean;
}

/** What an answer shows that no earlier request of the recording has created. */
export function presuppose({ entries }: History): Presupposed {
  const made = new Set<string>();
  const found = new Found();
  for (const entry of entries) {
    if (entry.kind === "webhook") {
      if (findTopic(entry.topic) === undefined) continue;
      const id = idOf(entry.body["data"]);
      found.received(entry);
      if (!made.has(id)) found.reported(entry);
      made.add(id);
      continue;
    }
    if ((entry.answer?.status ?? 500) >= 300) {
      // The service may have done it all the same.
      if (entry.operation === "createWebhook") found.tried(parseBody(entry.body ?? ""));
      continue;
    }
    read(entry, made, found);
  }
  return found.result();
}

function read(entry: RecordedRequest, made: Set<string>, found: Found): void {
  const { operation, path, answer } = entry;
  const body = answer?.body;
  // What the service makes of it may be under other names.
  if (operation === "createWebhook") found.subscribed(parseBody(entry.body ?? ""));
  if (operation === undefined || !isObject(body)) return;
  const id = idOf(body);
  switch (operation) {
    case "createBatch":
      for (const item of Array.isArray(body["transactions"]) ? body["transactions"] : []) made.add(idOf(item));
      return;
    case "createCharge":
    case "createTransaction":
    case "createWebhook":
      made.add(id);
      return;
    case "checkCustomer":
      return found.know(new URL(path, "http://localhost").searchParams.get("msisdn")?.replace(/^ /, "+"), body);
    case "getCharge":
    case "payCharge":
    case "refundCharge":
      if (!made.has(id)) found.charge(body, operation);
      made.add(id);
      return;
    case "getTransaction":
      if (!made.has(id)) found.transaction(body);
      made.add(id);
      return;
    case "getWebhook":
    case "listWebhooks":
      for (const row of Array.isArray(body["data"]) ? body["data"] : [body]) {
        if (!made.has(idOf(row))) found.listed(row);
        made.add(idOf(row));
      }
      return;
    case "getBalance":
    case "deleteWebhook":
  }
}

class Found {
  /** URLs by topic. */
  readonly #subscribed = new Map<string, Set<string>>();
  readonly #received = new Map<string, Map<string, RecordedWebhook>>();
  readonly #customers = new Map<string, unknown>();
  readonly #charges: unknown[] = [];
  readonly #transactions: unknown[] = [];
  readonly #subscriptions: unknown[] = [];
  readonly #listed: Omit<ListedSubscription, "isSilent">[] = [];
  readonly #tried = new Set<string>();
  readonly #assumptions: string[] = [];

  subscribed(order: unknown): void {
    if (!isObject(order)) return;
    const topic = findTopic(String(order["topic"])) ?? String(order["topic"]);
    this.#subscribed.set(topic, (this.#subscribed.get(topic) ?? new Set()).add(String(order["url"])));
  }

  received(webhook: RecordedWebhook): void {
    const { topic, url } = webhook;
    this.#received.set(topic, new Map(this.#received.get(topic)).set(url, webhook));
  }

  tried(order: unknown): void {
    this.#tried.add(nameOf(order));
  }

  listed(row: unknown): void {
    if (!isObject(row) || this.#tried.has(nameOf(row))) return;
    const { id, topic: spelling, url } = row;
    const topic = findTopic(String(spelling));
    if (typeof id !== "string" || topic === undefined) return;
    const [createdAt, updatedAt] = [row["createdAt"], row["updatedAt"]].map((time) => readTimestamp(time)?.at);
    this.#listed.push({ id, topic, spelling: String(spelling), url: String(url), createdAt, updatedAt });
  }

  /** Through a tunnel and the proxy, webhooks do not arrive at the URL of their subscription. */
  #subscribeBefore(): ListedSubscription[] {
    const heard = new Set<object>();
    for (const [topic, received] of this.#received) {
      const made = this.#subscribed.get(topic) ?? new Set();
      const strangers = [...received.values()].filter(({ url }) => !made.has(url));
      const elsewhere = [...made].filter((url) => !received.has(url));
      const before = strangers.slice(elsewhere.length);
      const listed = this.#listed.filter((row) => row.topic === topic);
      const isKnown = ({ url }: { url: string }): boolean => received.has(url) || made.has(url);
      const known = listed.filter(isKnown);
      const others = listed.filter((row) => !isKnown(row)).slice(0, Math.max(0, before.length - known.length));
      for (const row of [...known, ...others]) heard.add(row);
      for (const { body, url } of before.slice(listed.length)) {
        this.#subscriptions.push({ topic: body["topic"], url });
        this.#assumptions.push(`A subscription to ${topic} was made before the recording.`);
      }
    }
    return this.#listed.map((row) => {
      this.#assumptions.push(`The subscription ${row.id} was made before the recording.`);
      return { ...row, isSilent: !heard.has(row) };
    });
  }

  know(msisdn: string | undefined, { firstName, lastName, kycStatus }: Readonly<Record<string, unknown>>): void {
    if (msisdn === undefined || kycStatus === "unknown" || this.#customers.has(msisdn)) return;
    this.#customers.set(msisdn, { msisdn, firstName, lastName, kycStatus });
    this.#assumptions.push(`The service knew the customer ${msisdn}.`);
  }

  /** As it was before what the request did to it. */
  charge(body: Readonly<Record<string, unknown>>, operation: "getCharge" | "payCharge" | "refundCharge"): void {
    const before = operation === "payCharge" ? "due" : "paid";
    this.#addCharge(body, operation === "getCharge" ? String(body["status"]) : before);
  }

  /** A webhook reports a change: before it there was another status. */
  reported({ topic, body }: RecordedWebhook): void {
    const data = isObject(body["data"]) ? body["data"] : {};
    if (topic !== "charges/events") return this.transaction({ ...data, status: "pending", failureReason: null });
    this.#addCharge(data, data["status"] === "paid" || data["status"] === "dropped" ? "due" : "paid");
  }

  #addCharge(body: Readonly<Record<string, unknown>>, status: string): void {
    const { id, externalId, description, amount, metadata, createdAt, droppedReason, refunded } = body;
    const entries = Array.isArray(body["transactions"]) ? body["transactions"].filter(isObject) : [];
    const payer = entries.find(({ type, status: ended }) => type === "payment" && ended === "completed")?.[
      "recipientMsisdn"
    ];
    this.#charges.push({
      id,
      externalId,
      description,
      amount,
      metadata,
      createdAt,
      status,
      ...(payer !== undefined && status !== "due" && status !== "dropped" ? { msisdn: payer } : {}),
      ...(status === "dropped" && droppedReason !== null ? { droppedReason } : {}),
      ...(status === "refunded_partially" ? { refunded } : {}),
    });
    this.#assumptions.push(`The charge ${String(id)} was made before the recording.`);
  }

  transaction(body: Readonly<Record<string, unknown>>): void {
    const { id, msisdn, amount, reference, description, status, failureReason, createdAt } = body;
    this.#transactions.push({
      id,
      msisdn,
      amount,
      reference,
      description,
      status,
      createdAt,
      ...(status === "failed" && failureReason !== null ? { failureReason } : {}),
    });
    this.#assumptions.push(`The transaction ${String(id)} was made before the recording.`);
  }

  result(): Presupposed {
    const subscriptions = this.#subscribeBefore();
    const take = <T>(list: { safeParse(given: unknown): { data?: readonly T[] | undefined } }, given: unknown[]): T[] =>
      given.flatMap((item) => list.safeParse([item]).data ?? []);
    const world = {
      ...emptyFixture,
      customers: take(worldLists.customers, [...this.#customers.values()]).filter((customer) => "msisdn" in customer),
      charges: take(worldLists.charges, this.#charges),
      transactions: take(worldLists.transactions, this.#transactions),
      subscriptions: take(worldLists.subscriptions, this.#subscriptions),
    };
    return { world, subscriptions, assumptions: this.#assumptions };
  }
}

/** A subscription by what it is for. */
function nameOf(order: unknown): string {
  return isObject(order) ? `${String(order["topic"])} ${String(order["url"])}` : "";
}

function idOf(body: unknown): string {
  return isObject(body) && typeof body["id"] === "string" ? plain(body["id"]) : "";
}
