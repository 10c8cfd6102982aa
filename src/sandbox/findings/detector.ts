import { hash } from "node:crypto";
import { operations } from "../../contract/operations.js";
import { damageOf } from "../../domain/deliveries/sign-delivery.js";
import type { Attempt, Delivery } from "../../domain/model/delivery.js";
import type { Profile } from "../../domain/profile/profile.js";
import type { World } from "../../domain/model/work.js";
import { toXof } from "../../domain/values/money.js";
import { isObject, memberOf } from "../../kernel/messages/json.js";
import { decodePart, quote, SEARCHED_MAX } from "../../kernel/messages/text.js";
import type { Finding, FindingRequest } from "./finding.js";
import type { JournalEntry } from "../observation/journal.js";
import type { Instant } from "../../kernel/time/instant.js";
import { LOST_ANSWER } from "../company/attempt-delivery.js";
import type { Connection } from "../company/exchange.js";
import type { Row } from "../../kernel/records/table.js";
import type { Secret } from "../observation/redact.js";

/** Looks for one kind of mistake in the requests and webhooks of one company, in the order in which they happen. Its memory is bounded. */
export interface Detector {
  /** A request was answered; `fate` says whether the client read the answer, as far as that is known yet. */
  readonly see?: (entry: JournalEntry, scene: Scene) => readonly Verdict[];
  /** The client never read the answer to a request that was seen before. */
  readonly lost?: (entry: JournalEntry, scene: Scene) => readonly Verdict[];
  /** An attempt to deliver a webhook begins, at this time of the company. */
  readonly attempting?: (delivery: Delivery, at: Instant, scene: Scene) => readonly Verdict[];
  /** An attempt to deliver a webhook ended. `delivery` includes it. */
  readonly attempted?: (attempt: Attempt, delivery: Delivery, scene: Scene) => readonly Verdict[];
  /** The run is over: nothing more will be sent or acknowledged. */
  readonly ended?: (end: EndOfRun, scene: Scene) => readonly Verdict[];
}

interface EndOfRun {
  /** The company's time. */
  readonly at: Instant;
  /** Whether deliveries in flight had time to be acknowledged. */
  readonly waited: boolean;
}

export interface Scene {
  /** The company's records after the request or attempt. */
  readonly world: World;
  readonly profile: Profile;
  /** Real time, ms of the machine's monotonic clock. */
  readonly now: number;
  /** The company's secret key and access tokens. */
  readonly secrets: readonly Secret[];
  /** The connection of the request that is seen; undefined in process. */
  readonly connection: Connection | undefined;
  /** How long the connection had been open at `now`, ms. */
  readonly connectionAgeMs: number;
  /** The newest request that created this record, if it is still in the journal. */
  readonly causeOf: (record: Row) => JournalEntry | undefined;
  /** Whether an audit created or requested the charge or transfer with this id. */
  readonly isAudited: (id: string) => boolean;
}

/** Detections of one kind with the same key are the same mistake, which is reported once. `fix` replaces the fix of the kind. */
export interface Detection extends Pick<Finding, "why" | "requests"> {
  readonly key: string;
  readonly fix?: string;
}

/** Later requests or webhooks have shown that the detection with this key was no mistake. */
export interface Withdrawal {
  readonly withdraws: string;
}

export type Verdict = Detection | Withdrawal;

const ITEMS_MAX = 3;

/** A request as a finding shows it. The summary quotes reference, externalId, msisdn and amount. Not redacted. */
export function describeRequest(entry: JournalEntry, { world }: { readonly world: World }): FindingRequest {
  const { id, method, path } = entry;
  const items = itemsOf(entry.body);
  const parts = items.length > 0 ? describeItems(items) : describeFields(entry, world);
  return { id, method, path, summary: [...parts, outcomeOf(entry)].join(", ") };
}

/** Like `describeRequest`, but the summary quotes one order of the request. */
export function describeOrder(entry: RequestLine, order: object): FindingRequest {
  const { id, method, path } = entry;
  return { id, method, path, summary: [...named(order), outcomeOf(entry)].join(", ") };
}

/** The request that caused a webhook: the one that made its event, or else its resource. Empty when it is no longer in the journal. */
export function describeCause(delivery: Delivery, scene: Scene): readonly FindingRequest[] {
  const { world, causeOf } = scene;
  const { resourceKind, resource } = delivery;
  const subject = resourceKind === "charge" ? world.charges.get(resource) : world.transfers.get(resource);
  const cause = causeOf(delivery) ?? (subject === undefined ? undefined : causeOf(subject));
  return cause === undefined ? [] : [describeRequest(cause, scene)];
}

export type RequestLine = Pick<JournalEntry, "id" | "method" | "path" | "status" | "fate" | "fault">;

/** Whether the client never read the answer. A fault always loses it, even before the loss is reported. */
export function isLost({ fate, fault }: Pick<JournalEntry, "fate" | "fault">): boolean {
  return fate === "lost" || fault !== undefined;
}

/** Whether the client acknowledged a genuine webhook, even when a rule lost the acknowledgement. `delivery` includes the attempt. */
export function hasAcknowledged({ error }: Attempt, delivery: Delivery): boolean {
  const { corruptSignature, truncate } = damageOf(delivery, delivery.attempts.length);
  return (error === null || error === LOST_ANSWER.error) && !corruptSignature && truncate === null;
}

/** The path's `:id`; undefined when its operation has none. */
export function idInPath({ operation, path }: Pick<JournalEntry, "operation" | "path">): string | undefined {
  const place = operation === undefined ? -1 : operations[operation].path.split("/").indexOf(":id");
  const id = place === -1 ? undefined : path.split("?", 1)[0]?.split("/")[place];
  return id === undefined ? undefined : decodePart(id);
}

export function itemsOf(body: unknown): readonly unknown[] {
  const items = memberOf(body, "transactions");
  return Array.isArray(items) ? items : [];
}

function describeItems(items: readonly unknown[]): string[] {
  const described = items.slice(0, ITEMS_MAX).map((item, index) => `${index + 1}. ${named(item).join(", ")}`);
  const left = items.length - described.length;
  return left > 0 ? [...described, `and ${left} more`] : described;
}

/** Takes each field from the request, or else the answer, or else the stored charge. */
function describeFields(entry: JournalEntry, world: World): string[] {
  const id = idInPath(entry);
  const charge = id === undefined ? undefined : world.charges.get(id);
  const stored = charge && { externalId: charge.externalId, amount: toXof(charge.amount) };
  return named(entry.body, entry.answer, stored);
}

/** `reference "payout-1", msisdn "+2250700000001", amount 5000`: each from the first source that has it. */
function named(...sources: readonly unknown[]): string[] {
  return ["reference", "externalId", "msisdn", "amount"].flatMap((name) => {
    const value = sources.map((source) => memberOf(source, name)).find((found) => found !== undefined);
    if (typeof value === "string") return [`${name} ${quote(value)}`];
    return typeof value === "number" ? [`${name} ${value}`] : [];
  });
}

function outcomeOf(entry: RequestLine): string {
  return isLost(entry) ? "its answer was lost" : `answered ${entry.status}`;
}

/** When a request was answered, and its connection: shows whether a later request comes from another worker. Real time, ms. */
export interface Answered {
  readonly answeredAt: number;
  readonly connection: Connection | undefined;
}

/** For how long after an answer a client may open another connection because it has not freed the first one yet, ms. */
const NOT_YET_FREED_MS = 20;

/** Whether the request of `scene` comes from another worker than the one that read that answer: its new connection was opened before the answer. */
export function isOtherWorker(answered: Answered, scene: Scene): boolean {
  const openedAfterMs = openedAfter(answered, scene);
  return openedAfterMs !== undefined && openedAfterMs <= 0;
}

/** Whether it may be another worker: its new connection was opened before the answer, or later while the first one was free, as one client may do too. */
export function mayBeOtherWorker(answered: Answered, scene: Scene): boolean {
  const openedAfterMs = openedAfter(answered, scene) ?? 0;
  return (
    isOtherWorker(answered, scene) || (openedAfterMs > NOT_YET_FREED_MS && answered.connection?.isClosed === false)
  );
}

/** How long after that answer another connection was opened for the request of `scene`, ms; undefined when none was. */
function openedAfter({ answeredAt, connection: before }: Answered, scene: Scene): number | undefined {
  const { connection, connectionAgeMs, now } = scene;
  if (before === undefined || connection === undefined || connection === before || connection.requests > 1)
    return undefined;
  return now - connectionAgeMs - answeredAt;
}

/** A larger body must not hold up other requests. Different bodies of one client differ earlier. */
const LEAVES_MAX = 20_000;

/**
 * What a JSON value holds at any depth: names of members, scalars, and `{` or `[` for each object or list. The order is fixed. A large value is read only
 * until there are `LEAVES_MAX` leaves.
 */
export function leavesOf(value: unknown): readonly unknown[] {
  const leaves: unknown[] = [];
  const left: unknown[] = [value];
  while (left.length > 0 && leaves.length < LEAVES_MAX) {
    const next = left.pop();
    if (Array.isArray(next)) {
      leaves.push("[");
      for (const item of next) left.push(item);
    } else if (isObject(next)) {
      leaves.push("{");
      for (const name of Object.keys(next).slice(0, LEAVES_MAX)) left.push(name, next[name]);
    } else {
      leaves.push(next);
    }
  }
  return leaves;
}

/** Equal for JSON values that are equal once the text `varying` is masked. A hash, because values may be large. */
export function digestOf(value: unknown, varying = ""): string {
  return hash("sha256", mask(JSON.stringify(leavesOf(value)), JSON.stringify(varying).slice(1, -1)), "base64");
}

/** Masks a part of a text, unless it would take long to find. */
export function mask(text: string, part: string): string {
  return part === "" || part.length > SEARCHED_MAX ? text : text.replaceAll(part, "*");
}
