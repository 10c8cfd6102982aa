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
  /** By requests of the recording, as far as they may have succeeded. */
  readonly #taken = new Set<string>();
  /** By what the service had before. */
  readonly #earlier = new Set<string>();
  /** The charges and transfers that the service refused as duplicates, although the recording had not asked for them before. */
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

  /** Takes the name of something from before. Returns whether something else from before has it. */
  takeEarlier(resource: JsonObject): boolean {
    const name = nameOf(resource);
    const isAgain = this.#earlier.has(name);
    this.#earlier.add(name);
    return isAgain;
  }

  /** What the service refused as duplicates was there before, unless the recording shows it otherwise. */
  refusedAsDuplicates(): JsonObject[] {
    return [...this.#refused].flatMap(([name, order]) => (this.#isKnown(name) ? [] : [order]));
  }

  #isKnown(name: string): boolean {
    return this.#taken.has(name) || this.#earlier.has(name);
  }
}
