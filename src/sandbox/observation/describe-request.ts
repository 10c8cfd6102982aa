import { operationOf } from "../../contract/operations.js";
import { toXof } from "../../domain/values/money.js";
import type { Delivery } from "../../domain/model/delivery.js";
import type { World } from "../../domain/model/work.js";
import { quote } from "../../kernel/text.js";
import type { Scene } from "./detector.js";
import type { FindingRequest } from "./finding.js";
import type { JournalEntry } from "./journal.js";

/** Of a batch, as many items are told. */
const ITEMS_TOLD = 3;

/** A request as a finding shows it: "the summary quotes reference, externalId, msisdn and amount". Secrets are taken out by whoever keeps it. */
export function describeRequest(entry: JournalEntry, { world }: { readonly world: World }): FindingRequest {
  const { id, method, path } = entry;
  const items = itemsOf(entry.body);
  const told = items.length > 0 ? describeItems(items) : describeFields(entry, world);
  return { id, method, path, summary: [...told, outcomeOf(entry)].join(", ") };
}

/** One order of a request. */
export function describeOrder(entry: RequestLine, order: object): FindingRequest {
  const { id, method, path } = entry;
  return { id, method, path, summary: [...named(order), outcomeOf(entry)].join(", ") };
}

export type RequestLine = Pick<JournalEntry, "id" | "method" | "path" | "status" | "fate" | "fault">;

/** Of an answer that a fault broke off it is known at once. */
export function isLost({ fate, fault }: Pick<JournalEntry, "fate" | "fault">): boolean {
  return fate === "lost" || fault !== undefined;
}

/** The path's `:id`; undefined when its operation has none. */
export function idInPath({ operation, path }: Pick<JournalEntry, "operation" | "path">): string | undefined {
  const template = operation === undefined ? "" : operationOf(operation).path;
  const at = template.indexOf("/:id");
  if (at === -1) return undefined;
  const id = partOf(path, slashesIn(template.slice(0, at)) + 1);
  try {
    return id?.includes("%") === true ? decodeURIComponent(id) : id;
  } catch {
    return id;
  }
}

/** What stands behind so many slashes, up to the next one or the query: this is asked of every request. */
function partOf(path: string, slashes: number): string | undefined {
  const query = path.indexOf("?");
  const end = query === -1 ? path.length : query;
  let begin = 0;
  for (let left = slashes; left > 0; left--) {
    begin = path.indexOf("/", begin) + 1;
    if (begin === 0 || begin > end) return undefined;
  }
  const next = path.indexOf("/", begin);
  return path.slice(begin, next === -1 || next > end ? end : next);
}

function slashesIn(text: string): number {
  return text.split("/").length - 1;
}

/** The items of a batch. */
export function itemsOf(body: unknown): readonly unknown[] {
  const items = memberOf(body, "transactions");
  return Array.isArray(items) ? items : [];
}

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

function describeItems(items: readonly unknown[]): string[] {
  const told = items.slice(0, ITEMS_TOLD).map((item, index) => `${index + 1}. ${named(item).join(", ")}`);
  const left = items.length - told.length;
  return left > 0 ? [...told, `and ${left} more`] : told;
}

/** What the request says, then what the answer says, then what is stored. */
function describeFields(entry: JournalEntry, world: World): string[] {
  const id = idInPath(entry);
  const charge = id === undefined ? undefined : world.charges.get(id);
  const stored = charge && { externalId: charge.externalId, amount: toXof(charge.amount) };
  return named(entry.body, entry.answer, stored);
}

/** `reference "payout-1", msisdn "+2250700000001", amount 5000`: each from the first that has it. */
function named(...sources: readonly unknown[]): string[] {
  return ["reference", "externalId", "msisdn", "amount"].flatMap((name) => {
    const value = sources.map((source) => memberOf(source, name)).find((found) => found !== undefined);
    if (typeof value === "string") return [`${name} ${quote(value)}`];
    return typeof value === "number" ? [`${name} ${value}`] : [];
  });
}

/** The request that caused a webhook: that made its event, or else what the event is about; none when the journal does not know it any more. */
export function describeCause(delivery: Delivery, scene: Scene): readonly FindingRequest[] {
  const { world, causeOf } = scene;
  const { resourceKind, resource } = delivery;
  const subject = resourceKind === "charge" ? world.charges.get(resource) : world.transfers.get(resource);
  const cause = causeOf(delivery) ?? (subject === undefined ? undefined : causeOf(subject));
  return cause === undefined ? [] : [describeRequest(cause, scene)];
}

/** What came of a request: `answered 201`. */
function outcomeOf(entry: RequestLine): string {
  return isLost(entry) ? "its answer was lost" : `answered ${entry.status}`;
}

/**
 * Everything that a JSON value holds, from its end to its start, however deep it goes: names of members, scalars, and `{` or `[` where a value begins.
 * A list and no generator: every request is walked, and most are small.
 */
export function leavesOf(value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [value];
  const leaves: unknown[] = [];
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (Array.isArray(next)) {
      leaves.push("[");
      for (const item of next) left.push(item);
    } else if (typeof next === "object" && next !== null) {
      leaves.push("{");
      for (const [name, member] of Object.entries(next)) left.push(name, member);
    } else {
      leaves.push(next);
    }
  }
  return leaves;
}
