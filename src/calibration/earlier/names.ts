import { parseBody } from "../../adapters/har/http-exchange.js";
import { type JsonObject, isObject } from "../../kernel/messages/json.js";
import type { RecordedRequest } from "../recording/entry.js";
import { itemsIn, nameOf } from "../recording/resources.js";

const CREATES: ReadonlySet<RecordedRequest["operation"]> = new Set<RecordedRequest["operation"]>([
  "createCharge",
  "createTransaction",
  "createBatch",
]);

/** The externalIds and references that the service has taken: each names one charge or one transfer. */
export class Names {
  /** Names in requests of the recording that have or may have succeeded. */
  readonly #taken = new Set<string>();
  /** Names of charges and transfers from before the recording. */
  readonly #earlier = new Set<string>();
  /** The orders that the service refused as duplicates, although no earlier request of the recording had taken their names. */
  readonly #refused = new Map<string, JsonObject>();

  asked({ operation, body, answer }: RecordedRequest): void {
    const order = CREATES.has(operation) ? parseBody(body ?? "") : undefined;
    if (!isObject(order)) return;
    const items = operation === "createBatch" ? itemsIn(order) : [order];
    const { status = 500 } = answer ?? {};
    const isRefused = status === 409 && !items.some((item) => this.#isKnown(nameOf(item)));
    for (const item of items) {
      const name = nameOf(item);
      if (isRefused) this.#refused.set(name, item);
      else if (status < 300 || (status >= 500 && !this.#refused.has(name))) this.#taken.add(name);
    }
  }

  /** Takes the name of a charge or transfer from before the recording. Returns whether another one has taken it already. */
  takeEarlier(resource: JsonObject): boolean {
    const name = nameOf(resource);
    const isAgain = this.#earlier.has(name);
    this.#earlier.add(name);
    return isAgain;
  }

  /** The orders that the service refused as duplicates, and that must be from before the recording because nothing else in it has their names. */
  refusedAsDuplicates(): JsonObject[] {
    return [...this.#refused].flatMap(([name, order]) => (this.#isKnown(name) ? [] : [order]));
  }

  #isKnown(name: string): boolean {
    return this.#taken.has(name) || this.#earlier.has(name);
  }
}
