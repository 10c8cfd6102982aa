import { type JsonObject, isObject } from "../../kernel/messages/json.js";
import type { Instant } from "../../kernel/time/instant.js";
import type { Entry, RecordedRequest, RecordedWebhook } from "../recording/entry.js";
import { idInPath, idOf, itemsIn, nameOf } from "../recording/resources.js";
import { endOf, readTimestamp } from "../recording/timestamps.js";

/** Webhooks about changes that were made before the recording: they come late, or again. */
export interface EarlierWebhooks {
  readonly all: ReadonlySet<RecordedWebhook>;
  /** For each resource, the webhook that shows its latest state. */
  readonly latest: ReadonlyMap<string, RecordedWebhook>;
}

export function findEarlierWebhooks(entries: readonly Entry[]): EarlierWebhooks {
  const progress = new Progress(entries[0]?.at ?? 0);
  const all = new Set<RecordedWebhook>();
  const texts = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === "request") {
      progress.note(entry);
    } else if (texts.has(entry.text) || progress.precedes(entry)) {
      all.add(entry);
      texts.add(entry.text);
    }
  }
  const latest = new Map<string, RecordedWebhook>();
  for (const webhook of all) {
    const { data } = webhook.body;
    if (stageOf(data) >= stageOf(latest.get(idOf(data))?.body["data"])) latest.set(idOf(data), webhook);
  }
  for (const entry of entries) {
    if (entry.kind === "request") continue;
    const { data } = entry.body;
    if (stageOf(data) < stageOf(latest.get(idOf(data))?.body["data"])) all.add(entry);
  }
  return { all, latest };
}

/** The contract says of a due charge's lifetime: "1 hour after creation, then automatically `dropped`". */
const DROPPED_AFTER_MS = 3_600_000;

/** What the requests up to one place of a recording show about the states of charges and transfers. */
class Progress {
  readonly #start: Instant;
  /** The ids and names of charges and transfers that the recording has made. */
  readonly #created = new Set<string>();
  /** The stages of charges when an answer first showed them. */
  readonly #shown = new Map<string, number>();
  readonly #refunded = new Set<string>();

  constructor(start: Instant) {
    this.#start = start;
  }

  note({ operation, path, answer }: RecordedRequest): void {
    const { status, body } = answer ?? { status: 500, body: undefined };
    const asked = idInPath(path) ?? "";
    if (operation === "refundCharge" && (status < 300 || status >= 500)) this.#refunded.add(asked);
    // A refused payment shows that the charge is no longer due.
    const isOver = operation === "payCharge" && (status === 409 || status === 422);
    if (isOver && !this.#created.has(asked)) this.#showFirst(asked, 1);
    if (status >= 300 || !isObject(body)) return;
    if (operation === "createCharge" || operation === "createTransaction")
      this.#created.add(idOf(body)).add(nameOf(body));
    if (operation === "createBatch") for (const item of itemsIn(body)) this.#created.add(idOf(item)).add(nameOf(item));
    // The stage before the request, not after it.
    this.#showFirst(idOf(body), operation === "payCharge" ? 0 : operation === "refundCharge" ? 1 : stageOf(body));
  }

  #showFirst(id: string, stage: number): void {
    if (!this.#shown.has(id)) this.#shown.set(id, stage);
  }

  /** Whether a webhook reports a change from before the recording. */
  precedes({ topic, body: { data } }: RecordedWebhook): boolean {
    const id = idOf(data);
    if (!isObject(data) || id === "" || this.#created.has(id)) return false;
    if (isCreatedByName(data, this.#created, this.#start)) return false;
    if (topic !== "charges/events") return timeOf(data, "updatedAt") < this.#start;
    const stage = this.#shown.get(id);
    if (stage !== undefined) return stageOf(data, Infinity) <= stage;
    if (isRefunded(data)) return !this.#refunded.has(id);
    return timeOf(data, "createdAt") + DROPPED_AFTER_MS < this.#start;
  }
}

/** Whether the recording has created, by its name, what a webhook shows under an unknown id: a service may show another id in webhooks than in answers. */
export function isCreatedByName(data: JsonObject, created: ReadonlySet<string>, start: Instant): boolean {
  const name = nameOf(data);
  return name !== "" && created.has(name) && timeOf(data, "createdAt") >= start;
}

/** The last instant that the timestamp stands for; infinite when there is none. */
function timeOf(data: JsonObject, name: "createdAt" | "updatedAt"): Instant {
  return endOf(readTimestamp(data[name])?.at ?? Infinity);
}

/** How far a charge or a transfer has got: 0 while it is open, 1 when it has ended, more with refunds. `unknown` replaces a refunded amount that is not shown. */
function stageOf(data: unknown, unknown = 0): number {
  if (!isObject(data)) return 0;
  const { status, refunded } = data;
  if (status === undefined || status === "pending" || status === "due") return 0;
  return isRefunded(data) ? 1 + (Number(refunded) || unknown) : 1;
}

function isRefunded({ status }: JsonObject): boolean {
  return status === "refunded" || status === "refunded_partially";
}
