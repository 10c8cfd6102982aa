import { type OperationId, operations } from "../../contract/operations.js";
import { parseBody } from "../../adapters/har/http-exchange.js";
import type { Subscription } from "../../domain/model/subscription.js";
import { findTopic } from "../../domain/values/topic.js";
import { isObject } from "../../kernel/messages/json.js";
import type { Instant } from "../../kernel/time/instant.js";
import { type WorldFixture, emptyFixture, worldLists } from "../../sandbox/state/fixture.js";
import { plain } from "./bindings.js";
import { idsInPath } from "./companies.js";
import type { ExchangeName } from "./compare.js";
import type { Entry, History, RecordedRequest, RecordedWebhook } from "./history.js";
import {
  type Supposed,
  type SupposedCharge,
  type SupposedRecords,
  type SupposedSubscription,
  type SupposedTransfer,
  standInsOfCharge,
  standInsOfTransfer,
  takeFixtures,
} from "./suppose.js";
import { endOf, readTimestamp } from "./timestamps.js";

/** What was there before the recording began, as far as the recording shows it. */
export interface Presupposed {
  readonly world: WorldFixture;
  readonly records: SupposedRecords;
  /** Webhooks of changes that were made before. */
  readonly earlier: ReadonlySet<ExchangeName>;
  /** In words. */
  readonly assumptions: readonly string[];
}

/** What an answer shows that no earlier request of the recording has created. */
export function presuppose({ entries }: History): Presupposed {
  const made = new Set<string>();
  const found = new Found();
  const { earlier, latest } = findEarlier(entries);
  for (const entry of entries) {
    if (entry.kind === "webhook") {
      const topic = findTopic(entry.topic);
      if (topic === undefined) continue;
      const id = idOf(entry.body["data"]);
      found.received(topic, entry);
      if (!made.has(id)) found.reported(earlier.has(entry) ? latest.get(id)! : entry, earlier.has(entry));
      made.add(id);
      continue;
    }
    found.asked(entry);
    if ((entry.answer?.status ?? 500) < 300) read(entry, made, found);
  }
  return found.result(earlier);
}

/** The contract's: "dropped (automatic)". */
const DROPPED_AFTER_MS = 3_600_000;

/** The webhooks of changes that were made before the recording: they come late, or again. */
function findEarlier(entries: readonly Entry[]) {
  const start = entries[0]?.at ?? 0;
  const created = new Set<string>();
  /** How far charges were when an answer first showed them. */
  const shown = new Map<string, number>();
  const refunded = new Set<string>();
  const texts = new Set<string>();
  const isEarlier = ({ topic, body: { data } }: RecordedWebhook): boolean => {
    if (!isObject(data) || idOf(data) === "" || created.has(idOf(data))) return false;
    const timeOf = (name: string): Instant => endOf(readTimestamp(data[name])?.at ?? Infinity);
    if (topic !== "charges/events") return timeOf("updatedAt") < start;
    const stage = shown.get(idOf(data));
    if (stage !== undefined) return stageOf(data, Infinity) <= stage;
    if (isRefunded(data)) return !refunded.has(idOf(data));
    return timeOf("createdAt") + DROPPED_AFTER_MS < start;
  };
  const earlier = new Set<RecordedWebhook>();
  for (const entry of entries) {
    if (entry.kind === "webhook") {
      if (!texts.has(entry.text) && !isEarlier(entry)) continue;
      earlier.add(entry);
      texts.add(entry.text);
      continue;
    }
    const { operation, path, answer: { status, body } = { status: 500, body: undefined } } = entry;
    const idInPath = plain(path.split("/")[3] ?? "");
    if (operation === "refundCharge" && (status < 300 || status >= 500)) refunded.add(idInPath);
    // It was no longer due.
    const isOver = operation === "payCharge" && (status === 409 || status === 422);
    if (isOver && !created.has(idInPath) && !shown.has(idInPath)) shown.set(idInPath, 1);
    if (status >= 300 || !isObject(body)) continue;
    const id = idOf(body);
    if (operation === "createCharge" || operation === "createTransaction") created.add(id);
    if (operation === "createBatch") for (const item of itemsOf(body)) created.add(idOf(item));
    const stage = operation === "payCharge" ? 0 : operation === "refundCharge" ? 1 : stageOf(body);
    if (!shown.has(id)) shown.set(id, stage);
  }
  const latest = new Map<string, RecordedWebhook>();
  for (const webhook of earlier) {
    const id = idOf(webhook.body["data"]);
    if (stageOf(webhook.body["data"]) >= stageOf(latest.get(id)?.body["data"])) latest.set(id, webhook);
  }
  for (const entry of entries) {
    if (entry.kind === "request") continue;
    const { data } = entry.body;
    if (stageOf(data) < stageOf(latest.get(idOf(data))?.body["data"])) earlier.add(entry);
  }
  return { earlier, latest };
}

/** How far the life of a charge or a transfer has gone. `unknown`: how much was refunded where this does not show it. */
function stageOf(data: unknown, unknown = 0): number {
  const { status } = isObject(data) ? data : {};
  if (!isObject(data) || status === undefined || status === "pending" || status === "due") return 0;
  return isRefunded(data) ? 1 + (Number(data["refunded"]) || unknown) : 1;
}

function isRefunded({ status }: Readonly<Record<string, unknown>>): boolean {
  return status === "refunded" || status === "refunded_partially";
}

function hasId(operation: OperationId | undefined): boolean {
  return operation !== undefined && operations[operation].path.includes("/:id");
}

function read(entry: RecordedRequest, made: Set<string>, found: Found): void {
  const { operation, path, answer } = entry;
  const shown = answer?.body;
  const [asked = ""] = idsInPath(path);
  // The service may show no id, or another one.
  const body = isObject(shown) && hasId(operation) && idOf(shown) !== asked ? { ...shown, id: asked } : shown;
  // What the service makes of it may be under other names.
  if (operation === "createWebhook") found.subscribed(parseBody(entry.body ?? ""), isObject(body) ? body : {});
  if (operation === "deleteWebhook") found.unsubscribed(asked);
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
      found.redirected(body);
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
  readonly #subscribed: Subscribed[] = [];
  /** The URLs of the subscriptions that there were when the first webhook came, by its topic and URL. */
  readonly #subscribedAtFirst = new Map<string, readonly string[]>();
  readonly #received = new Map<Subscription["topic"], Map<string, RecordedWebhook>>();
  readonly #customers = new Map<string, Readonly<Record<string, unknown>>>();
  readonly #charges: Supposed[] = [];
  /** Where payments of charges lead, by their ids. */
  readonly #redirections = new Map<unknown, Readonly<Record<string, unknown>>>();
  readonly #transactions: Supposed[] = [];
  readonly #listed: (Omit<SupposedSubscription, "isSilent"> & { readonly id: string })[] = [];
  readonly #moreOfCharges: SupposedCharge[] = [];
  readonly #moreOfTransfers: SupposedTransfer[] = [];
  /** Subscriptions that the service may have made although it did not say so. */
  readonly #tried = new Set<string>();
  /** References and externalIds that the recording asked for, and that the service may have taken. */
  readonly #taken = new Set<string>();
  /** Those of what it had before. */
  readonly #seeded = new Set<string>();
  /** Those that it refused as taken, although the recording had not asked for them before. */
  readonly #refused = new Map<string, Readonly<Record<string, unknown>>>();
  readonly #assumptions: string[] = [];

  subscribed(order: unknown, { id, createdAt }: Readonly<Record<string, unknown>>): void {
    if (!isObject(order)) return;
    const topic = findTopic(String(order["topic"])) ?? String(order["topic"]);
    const [name, url] = [nameOf(order), String(order["url"])];
    this.#subscribed.push({ id: plain(String(id)), name, topic, url, createdAt, isDeleted: false });
  }

  unsubscribed(id: string): void {
    for (const subscription of this.#subscribed) subscription.isDeleted ||= subscription.id === id;
  }

  received(topic: Subscription["topic"], webhook: RecordedWebhook): void {
    const { url } = webhook;
    this.#received.set(topic, new Map(this.#received.get(topic)).set(url, webhook));
    const name = nameOf({ topic, url });
    if (this.#subscribedAtFirst.has(name)) return;
    const subscribed = this.#subscribed.filter((one) => one.topic === topic && !one.isDeleted);
    this.#subscribedAtFirst.set(
      name,
      subscribed.map((one) => one.url),
    );
  }

  asked({ operation, body, answer }: RecordedRequest): void {
    const order = parseBody(body ?? "");
    if (!isObject(order)) return;
    const { status = 500 } = answer ?? {};
    if (operation === "createWebhook" && status >= 300) this.#tried.add(nameOf(order));
    if (operation !== "createCharge" && operation !== "createTransaction" && operation !== "createBatch") return;
    const names = (operation === "createBatch" ? itemsOf(order) : [order]).map(takenName);
    const isRefused = status === 409 && !names.some((name) => this.#isKnown(name));
    for (const [place, name] of names.entries()) {
      if (isRefused) this.#refused.set(name, operation === "createBatch" ? itemsOf(order)[place]! : order);
      else if (status < 300 || (status >= 500 && !this.#refused.has(name))) this.#taken.add(name);
    }
  }

  /** What the service refused as a duplicate was there before, unless the recording shows it otherwise. */
  #supposeRefused(): void {
    for (const [name, order] of this.#refused) {
      if (this.#isKnown(name)) continue;
      if ("externalId" in order) this.#addCharge({ ...order, id: undefined }, "dropped");
      else this.transaction({ ...order, id: undefined, status: "completed" });
    }
  }

  #isKnown(name: string): boolean {
    return this.#taken.has(name) || this.#seeded.has(name);
  }

  #isSeeded(body: Readonly<Record<string, unknown>>): boolean {
    const name = takenName(body);
    const isSeeded = this.#seeded.has(name);
    this.#seeded.add(name);
    return isSeeded;
  }

  listed(row: unknown): void {
    if (!isObject(row) || this.#tried.has(nameOf(row)) || this.#isCreated(row)) return;
    const { id, topic: spelling, url } = row;
    const topic = findTopic(String(spelling));
    if (typeof id !== "string" || topic === undefined) return;
    const [createdAt, updatedAt] = [row["createdAt"], row["updatedAt"]].map((time) => readTimestamp(time)?.at);
    this.#listed.push({ id, topic, spelling: String(spelling), url: String(url), createdAt, updatedAt });
  }

  /** The answer that created it may show no id, or another one. */
  #isCreated(row: Readonly<Record<string, unknown>>): boolean {
    const alike = this.#subscribed.filter(({ name }) => name === nameOf(row));
    return alike.some(({ createdAt = row["createdAt"] }) => createdAt === row["createdAt"]);
  }

  /** Through a tunnel and the proxy, webhooks do not arrive at the URL of their subscription. */
  #subscribeBefore(): SupposedSubscription[] {
    const heard = new Set<object>();
    const unlisted: SupposedSubscription[] = [];
    for (const [topic, received] of this.#received) {
      const made = new Set(this.#subscribed.filter((one) => one.topic === topic).map(({ url }) => url));
      const elsewhere = new Set([...made].filter((url) => !received.has(url)));
      const before = [...received.values()].filter(({ url }) => {
        if (made.has(url)) return false;
        const other = this.#subscribedAtFirst.get(nameOf({ topic, url }))?.find((one) => elsewhere.has(one));
        return other === undefined || !elsewhere.delete(other);
      });
      const listed = this.#listed.filter((row) => row.topic === topic);
      const isKnown = ({ url }: { url: string }): boolean => received.has(url) || made.has(url);
      const known = listed.filter(isKnown);
      const others = listed.filter((row) => !isKnown(row)).slice(0, Math.max(0, before.length - known.length));
      for (const row of [...known, ...others]) heard.add(row);
      for (const { body, url } of before.slice(listed.length)) {
        unlisted.push({ topic, spelling: String(body["topic"]), url, isSilent: false });
        this.#assumptions.push(`A subscription to ${topic} was made before the recording.`);
      }
    }
    const listed = this.#listed.map((row) => {
      this.#assumptions.push(`The subscription ${row.id} was made before the recording.`);
      return { ...row, isSilent: !heard.has(row) };
    });
    return [...listed, ...unlisted];
  }

  know(msisdn: string | undefined, { firstName, lastName, kycStatus }: Readonly<Record<string, unknown>>): void {
    if (msisdn === undefined || kycStatus === "unknown" || this.#customers.has(msisdn)) return;
    this.#customers.set(msisdn, { msisdn, firstName, lastName, kycStatus });
    this.#assumptions.push(`The service knew the customer ${msisdn}.`);
  }

  redirected({ id, status, webRedirectionUrl: url }: Readonly<Record<string, unknown>>): void {
    if (url === undefined) return;
    const end = status === "paid" ? { onCompletedRedirectionUrl: url } : { onCanceledRedirectionUrl: url };
    this.#redirections.set(id, { ...this.#redirections.get(id), ...end });
  }

  /** As it was before what the request did to it. */
  charge(body: Readonly<Record<string, unknown>>, operation: "getCharge" | "payCharge" | "refundCharge"): void {
    if (operation === "getCharge") this.#addCharge(body, String(body["status"]));
    else if (operation === "payCharge") this.#addCharge(body, "due", "payment");
    else this.#addCharge(body, "paid", "refund");
  }

  /** A webhook reports a change: before it there was another status, unless the change was made before the recording. */
  reported({ topic, body }: RecordedWebhook, isEarlier: boolean): void {
    const data = isObject(body["data"]) ? body["data"] : {};
    if (topic !== "charges/events") {
      return this.transaction(isEarlier ? data : { ...data, status: "pending", failureReason: null });
    }
    if (isEarlier) this.#addCharge(data, String(data["status"]));
    else if (data["status"] === "dropped") this.#addCharge(data, "due");
    else if (data["status"] === "paid") this.#addCharge(data, "due", "payment");
    else this.#addCharge(data, "paid", "refund");
  }

  /** `own`: the entry of what the request or the event did. */
  #addCharge(body: Readonly<Record<string, unknown>>, status: string, own?: "payment" | "refund"): void {
    const { id, externalId, description, amount, metadata, createdAt, droppedReason, attempts } = body;
    const all = itemsOf(body);
    const entries = own !== undefined && all[0]?.["type"] === own ? all.slice(1) : all;
    const refunds = entries.filter(({ type }) => type === "refund").map((entry) => Number(entry["amount"]));
    const refunded = refunds.reduce((sum, refund) => sum + refund, 0);
    // Reads may show another status.
    const before = refunded > 0 && refunded < Number(amount) ? "refunded_partially" : status;
    const payer = entries.find(({ type, status: ended }) => type === "payment" && ended === "completed")?.[
      "recipientMsisdn"
    ];
    if (typeof externalId === "string" && this.#isSeeded(body)) return;
    const fixture = {
      id,
      externalId,
      description,
      amount,
      metadata,
      createdAt,
      status: before,
      ...(payer !== undefined && before !== "due" && before !== "dropped" ? { msisdn: payer } : {}),
      ...(before === "dropped" && droppedReason !== null ? { droppedReason } : {}),
      ...(before === "refunded_partially" ? { refunded: refunds.length === 0 ? body["refunded"] : refunded } : {}),
    };
    this.#charges.push({ fixture, standIns: standInsOfCharge(body) });
    if (typeof id === "string" && typeof attempts === "number") {
      this.#moreOfCharges.push({ id, attempts: Math.max(0, attempts - (own === "payment" ? 1 : 0)), entries });
    }
    this.#assumptions.push(`The charge ${String(id ?? externalId)} was made before the recording.`);
  }

  transaction(body: Readonly<Record<string, unknown>>): void {
    const { id, msisdn, amount, reference, description, status, failureReason, createdAt, batchId, updatedAt } = body;
    const isAgain = this.#isSeeded(body);
    const fixture = {
      id,
      msisdn,
      amount,
      // Fixtures must not share one.
      reference: isAgain ? id : reference,
      description,
      status,
      createdAt,
      ...(status === "failed" && failureReason !== null ? { failureReason } : {}),
    };
    this.#transactions.push({ fixture, standIns: standInsOfTransfer(body) });
    if (typeof id === "string") {
      const batch = typeof batchId === "string" ? plain(batchId) : null;
      const again = isAgain ? String(reference) : undefined;
      this.#moreOfTransfers.push({ id, batchId: batch, updatedAt: readTimestamp(updatedAt)?.at, reference: again });
    }
    this.#assumptions.push(`The transaction ${String(id ?? reference)} was made before the recording.`);
  }

  result(earlier: ReadonlySet<RecordedWebhook>): Presupposed {
    for (const { topic } of earlier) {
      this.#assumptions.push(`Webhooks of ${topic} report what happened before the recording: they are not compared.`);
    }
    this.#supposeRefused();
    const subscriptions = this.#subscribeBefore();
    const customers = [...this.#customers.values()].map((fixture) => ({ fixture, standIns: {} }));
    const charges = this.#charges.map(({ fixture, standIns }) => ({
      fixture: { ...fixture, ...this.#redirections.get(fixture["id"]) },
      standIns,
    }));
    const world = {
      ...emptyFixture,
      customers: takeFixtures(worldLists.customers, customers).filter((customer) => "msisdn" in customer),
      charges: takeFixtures(worldLists.charges, charges),
      transactions: takeFixtures(worldLists.transactions, this.#transactions),
    };
    const records = { subscriptions, charges: this.#moreOfCharges, transfers: this.#moreOfTransfers };
    return {
      world,
      records,
      earlier: new Set([...earlier].map(({ exchange }) => exchange)),
      assumptions: this.#assumptions,
    };
  }
}

/** A subscription that the recording has made. */
interface Subscribed {
  readonly id: string;
  /** As it was asked for. */
  readonly name: string;
  readonly topic: string;
  readonly url: string;
  readonly createdAt: unknown;
  isDeleted: boolean;
}

/** The entries of a charge, or the transfers of a batch. */
function itemsOf(body: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(body["transactions"]) ? body["transactions"].filter(isObject) : [];
}

/** Unique per charge or per transfer. */
function takenName({ externalId, reference }: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(externalId === undefined ? { reference } : { externalId });
}

/** A subscription by what it is for. */
function nameOf(order: unknown): string {
  return isObject(order) ? `${String(order["topic"])} ${String(order["url"])}` : "";
}

function idOf(body: unknown): string {
  return isObject(body) && typeof body["id"] === "string" ? plain(body["id"]) : "";
}
