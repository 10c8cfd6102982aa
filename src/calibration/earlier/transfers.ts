import type { JsonObject } from "../../kernel/messages/json.js";
import { type WorldFixture, worldLists } from "../../sandbox/state/fixture.js";
import { plain } from "../recording/resources.js";
import { readTimestamp } from "../recording/timestamps.js";
import type { Names } from "./names.js";
import { type Supposed, standInsOfTransfer, takeFixtures } from "./stand-ins.js";
import type { SupposedTransfer } from "./suppose.js";

/** The transfers that were made before a recording. */
export class EarlierTransfers {
  readonly #names: Names;
  readonly #supposed: Supposed[] = [];
  readonly #details: SupposedTransfer[] = [];
  readonly assumptions: string[] = [];

  constructor(names: Names) {
    this.#names = names;
  }

  /** Adds a transfer that a webhook shows. It was pending before the reported change, unless that change was made before the recording. */
  reported(data: JsonObject, isEarlier: boolean): void {
    this.add(isEarlier ? data : { ...data, status: "pending", failureReason: null });
  }

  /** Adds a transfer that the service must have had, because it refused this order as a duplicate. */
  refused(order: JsonObject): void {
    this.add({ ...order, id: undefined, status: "completed" });
  }

  add(body: JsonObject): void {
    const { id, msisdn, amount, reference, description, status, failureReason, createdAt, batchId, updatedAt } = body;
    const isAgain = this.#names.takeEarlier(body);
    const fixture = {
      id,
      msisdn,
      amount,
      // Two fixtures must not have the same reference.
      reference: isAgain ? id : reference,
      description,
      status,
      createdAt,
      ...(status === "failed" && failureReason !== null ? { failureReason } : {}),
    };
    this.#supposed.push({ fixture, standIns: standInsOfTransfer(body) });
    if (typeof id === "string") {
      const batch = typeof batchId === "string" ? plain(batchId) : null;
      const again = isAgain ? String(reference) : undefined;
      this.#details.push({ id, batchId: batch, updatedAt: readTimestamp(updatedAt)?.at, reference: again });
    }
    this.assumptions.push(`The transaction ${String(id ?? reference)} was made before the recording.`);
  }

  get fixtures(): WorldFixture["transactions"] {
    return takeFixtures(worldLists.transactions, this.#supposed);
  }

  get details(): readonly SupposedTransfer[] {
    return this.#details;
  }
}
