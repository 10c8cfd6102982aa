import { operations } from "../../contract/operations.js";
import { findTopic } from "../../domain/values/topic.js";
import { type JsonObject, isObject } from "../../kernel/messages/json.js";
import type { Instant } from "../../kernel/time/instant.js";
import { type WorldFixture, emptyFixture, worldLists } from "../../sandbox/state/fixture.js";
import type { ExchangeName, History, RecordedRequest, RecordedWebhook } from "../recording/entry.js";
import { idInPath, idOf, itemsIn, nameOf } from "../recording/resources.js";
import { EarlierCharges } from "./charges.js";
import { Names } from "./names.js";
import { takeFixtures } from "./stand-ins.js";
import { EarlierSubscriptions } from "./subscriptions.js";
import type { SupposedRecords } from "./suppose.js";
import { EarlierTransfers } from "./transfers.js";
import { findEarlierWebhooks, isCreatedByName } from "./webhooks.js";

/** What the service had before the recording began, as far as the recording shows it. */
export interface Presupposed {
  readonly world: WorldFixture;
  readonly records: SupposedRecords;
  /** Webhooks about changes that were made before the recording. */
  readonly earlier: ReadonlySet<ExchangeName>;
  /** All of this in words, for the report. */
  readonly assumptions: readonly string[];
}

/** Finds everything that an answer or a webhook shows although no earlier request of the recording has created it. */
export function presuppose({ entries }: History): Presupposed {
  const webhooks = findEarlierWebhooks(entries);
  const search = new Search(entries[0]?.at ?? 0);
  for (const entry of entries) {
    if (entry.kind === "request") search.takeRequest(entry);
    else if (webhooks.all.has(entry)) search.takeWebhook(entry, webhooks.latest.get(idOf(entry.body["data"])));
    else search.takeWebhook(entry);
  }
  const { names, charges, transfers, subscriptions, customers } = search;
  for (const order of names.refusedAsDuplicates()) {
    if ("externalId" in order) charges.refused(order);
    else transfers.refused(order);
  }
  const known = [...customers.values()].map((fixture) => ({ fixture, standIns: {} }));
  const supposedSubscriptions = subscriptions.supposed();
  return {
    world: {
      ...emptyFixture,
      customers: takeFixtures(worldLists.customers, known).filter((customer) => "msisdn" in customer),
      charges: charges.fixtures,
      transactions: transfers.fixtures,
    },
    records: { subscriptions: supposedSubscriptions, charges: charges.details, transfers: transfers.details },
    earlier: new Set([...webhooks.all].map(({ exchange }) => exchange)),
    assumptions: [
      ...[...customers.keys()].map((msisdn) => `The service knew the customer ${msisdn}.`),
      ...charges.assumptions,
      ...transfers.assumptions,
      ...[...webhooks.all].map(
        ({ topic }) => `Webhooks of ${topic} report what happened before the recording: they are not compared.`,
      ),
      ...subscriptions.assumptions,
    ],
  };
}

/** Goes through a recording in order. */
class Search {
  readonly names = new Names();
  readonly charges = new EarlierCharges(this.names);
  readonly transfers = new EarlierTransfers(this.names);
  readonly subscriptions = new EarlierSubscriptions();
  /** The customers that the service knew, by phone number. */
  readonly customers = new Map<string, JsonObject>();
  /** The ids that the recording has created or shown so far, and the names of what it has created. */
  readonly #seen = new Set<string>();
  readonly #start: Instant;

  constructor(start: Instant) {
    this.#start = start;
  }

  /** `latest` is given for a webhook about an earlier change: of those about the same resource, the one that shows the latest state. */
  takeWebhook(webhook: RecordedWebhook, latest?: RecordedWebhook): void {
    const topic = findTopic(webhook.topic);
    if (topic === undefined) return;
    this.subscriptions.received(topic, webhook);
    const id = idOf(webhook.body["data"]);
    if (id === "" || !this.#seeFirst(id)) return;
    const { data } = (latest ?? webhook).body;
    if (!isObject(data) || isCreatedByName(data, this.#seen, this.#start)) return;
    const records = topic === "charges/events" ? this.charges : this.transfers;
    records.reported(data, latest !== undefined);
  }

  takeRequest(entry: RecordedRequest): void {
    const { operation, path, answer } = entry;
    this.names.asked(entry);
    if (operation === "createWebhook") this.subscriptions.created(entry);
    if (operation === undefined || answer === undefined || answer.status >= 300) return;
    const asked = idInPath(path) ?? "";
    if (operation === "deleteWebhook") this.subscriptions.deleted(asked);
    if (!isObject(answer.body)) return;
    const hasId = operations[operation].path.includes("/:id");
    // The service may show no id, or another one.
    const body = hasId && idOf(answer.body) !== asked ? { ...answer.body, id: asked } : answer.body;
    switch (operation) {
      case "createBatch":
        for (const item of itemsIn(body)) this.#seen.add(idOf(item)).add(nameOf(item));
        return;
      case "createCharge":
      case "createTransaction":
      case "createWebhook":
        this.#seen.add(idOf(body)).add(nameOf(body));
        return;
      case "checkCustomer":
        return this.#addCustomer(
          new URL(path, "http://localhost").searchParams.get("msisdn")?.replace(/^ /, "+"),
          body,
        );
      case "getCharge":
      case "payCharge":
      case "refundCharge":
        this.charges.redirected(body);
        if (this.#seeFirst(idOf(body))) this.charges.answered(body, operation);
        return;
      case "getTransaction":
        if (this.#seeFirst(idOf(body))) this.transfers.add(body);
        return;
      case "getWebhook":
      case "listWebhooks":
        for (const row of Array.isArray(body["data"]) ? body["data"] : [body]) {
          if (this.#seeFirst(idOf(row))) this.subscriptions.listed(row);
        }
        return;
      case "getBalance":
      case "deleteWebhook":
    }
  }

  #addCustomer(msisdn: string | undefined, { firstName, lastName, kycStatus }: JsonObject): void {
    if (msisdn === undefined || kycStatus === "unknown" || this.customers.has(msisdn)) return;
    this.customers.set(msisdn, { msisdn, firstName, lastName, kycStatus });
  }

  /** Notes an id, and returns whether nothing has shown or created it before. */
  #seeFirst(id: string): boolean {
    const isFirst = !this.#seen.has(id);
    this.#seen.add(id);
    return isFirst;
  }
}
