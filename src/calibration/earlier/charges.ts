import type { JsonObject } from "../../kernel/messages/json.js";
import { type WorldFixture, worldLists } from "../../sandbox/state/fixture.js";
import { itemsIn } from "../recording/resources.js";
import type { Names } from "./names.js";
import { type Supposed, standInsOfCharge, takeFixtures } from "./stand-ins.js";
import type { SupposedCharge } from "./suppose.js";

/** The charges that were made before a recording. */
export class EarlierCharges {
  readonly #names: Names;
  readonly #supposed: Supposed[] = [];
  readonly #details: SupposedCharge[] = [];
  /** The redirection URLs of charges, by id. */
  readonly #redirections = new Map<unknown, JsonObject>();
  readonly assumptions: string[] = [];

  constructor(names: Names) {
    this.#names = names;
  }

  /** Adds a charge that an answer shows, as it was before the request changed it. */
  answered(body: JsonObject, operation: "getCharge" | "payCharge" | "refundCharge"): void {
    if (operation === "getCharge") this.#add(body, String(body["status"]));
    else if (operation === "payCharge") this.#add(body, "due", "payment");
    else this.#add(body, "paid", "refund");
  }

  /** Adds a charge that a webhook shows, as it was before the reported change, unless that change was made before the recording. */
  reported(data: JsonObject, isEarlier: boolean): void {
    const { status } = data;
    if (isEarlier) this.#add(data, String(status));
    else if (status === "dropped") this.#add(data, "due");
    else if (status === "paid") this.#add(data, "due", "payment");
    else this.#add(data, "paid", "refund");
  }

  /** Adds a charge that the service must have had, because it refused this order as a duplicate. */
  refused(order: JsonObject): void {
    this.#add({ ...order, id: undefined }, "dropped");
  }

  redirected({ id, status, webRedirectionUrl: url }: JsonObject): void {
    if (url === undefined) return;
    const end = status === "paid" ? { onCompletedRedirectionUrl: url } : { onCanceledRedirectionUrl: url };
    this.#redirections.set(id, { ...this.#redirections.get(id), ...end });
  }

  /** `status` is the status before the change, `own` the type of the entry that the change has added. */
  #add(body: JsonObject, status: string, own?: "payment" | "refund"): void {
    const { id, externalId, description, amount, metadata, createdAt, droppedReason, attempts } = body;
    if (typeof externalId === "string" && this.#names.takeEarlier(body)) return;
    const all = itemsIn(body);
    const entries = own !== undefined && all[0]?.["type"] === own ? all.slice(1) : all;
    const refunds = entries.filter(({ type }) => type === "refund").map((entry) => Number(entry["amount"]));
    const refunded = refunds.reduce((sum, refund) => sum + refund, 0);
    // Refunds decide, because a read may show another status after a partial refund.
    const before = refunded > 0 && refunded < Number(amount) ? "refunded_partially" : status;
    const paid = entries.find((entry) => entry["type"] === "payment" && entry["status"] === "completed");
    const payer = before === "due" || before === "dropped" ? undefined : paid?.["recipientMsisdn"];
    const fixture = {
      id,
      externalId,
      description,
      amount,
      metadata,
      createdAt,
      status: before,
      ...(payer === undefined ? {} : { msisdn: payer }),
      ...(before === "dropped" && droppedReason !== null ? { droppedReason } : {}),
      ...(before === "refunded_partially" ? { refunded: refunds.length === 0 ? body["refunded"] : refunded } : {}),
    };
    this.#supposed.push({ fixture, standIns: standInsOfCharge(body) });
    if (typeof id === "string" && typeof attempts === "number") {
      this.#details.push({ id, attempts: Math.max(0, attempts - (own === "payment" ? 1 : 0)), entries });
    }
    this.assumptions.push(`The charge ${String(id ?? externalId)} was made before the recording.`);
  }

  get fixtures(): WorldFixture["charges"] {
    const redirected = this.#supposed.map(({ fixture, standIns }) => ({
      fixture: { ...fixture, ...this.#redirections.get(fixture["id"]) },
      standIns,
    }));
    return takeFixtures(worldLists.charges, redirected);
  }

  get details(): readonly SupposedCharge[] {
    return this.#details;
  }
}
