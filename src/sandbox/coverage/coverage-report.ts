import { type OperationId, operationIds } from "../../contract/operations.js";
import type { Json } from "../../kernel/messages/json.js";
import { settings } from "../../domain/profile/settings.js";
import type { RuleKind, RuleMatch } from "../../domain/model/rule.js";
import type { Topic } from "../../domain/values/topic.js";

/**
 * Which parts of the contract the client under test covered, and which it did not. Parts that cannot be covered under the profiles in force are left out.
 *
 * `met`, `total` and `percent` count `operations`, `transitions`, `causes` and `topics` together. Rules and open points are not counted: they are the
 * assumptions behind the other sections.
 */
export interface Coverage {
  /** 0 to 100, with one decimal, rounded down: 100 means everything. */
  readonly percent: number;
  readonly met: number;
  readonly total: number;
  readonly sections: Readonly<Record<CoverageSection, { readonly met: number; readonly total: number }>>;
  readonly operations: readonly OperationCoverage[];
  readonly transitions: readonly TransitionCoverage[];
  readonly causes: readonly CauseCoverage[];
  readonly topics: readonly TopicCoverage[];
  readonly rules: readonly RuleCoverage[];
  readonly openPoints: readonly OpenPointCoverage[];
}

export const coverageSections = ["operations", "transitions", "causes", "topics", "rules", "openPoints"] as const;
export type CoverageSection = (typeof coverageSections)[number];

const gatedSections = ["operations", "transitions", "causes", "topics"] as const satisfies CoverageSection[];

export interface Counted {
  readonly met: boolean;
  readonly count: number;
}

/** An operation and a status that it can answer with, in the order of the contract. */
export interface OperationCoverage extends Counted {
  readonly operation: OperationId;
  readonly method: string;
  /** Identifiers as `:id`. */
  readonly path: string;
  readonly status: number;
  /** What the status means for this operation, such as `Success.` */
  readonly means: string;
}

export interface TransitionCoverage extends Counted {
  readonly resource: "charge" | "transaction" | "batch" | "delivery";
  readonly from: string;
  readonly action: string;
  readonly to: string;
}

/** Why a request was refused, or why a transfer or a payment failed. */
export interface CauseCoverage extends Counted {
  readonly of: "request" | "transfer" | "payment";
  readonly cause: string;
  /** The status of a refused request; null for a failure. */
  readonly status: number | null;
}

/** A topic is covered when a webhook of it was acknowledged. `count` is how many were. */
export interface TopicCoverage extends Counted {
  readonly topic: Topic;
  /** Attempts that were answered, whatever the answer. */
  readonly delivered: number;
}

/** A rule is covered when it applied. Equal rules count as one. */
export interface RuleCoverage extends Counted {
  readonly name: string | null;
  readonly on: RuleKind;
  readonly match: RuleMatch;
  readonly then: Readonly<Record<string, unknown>>;
}

/** A setting with a value. Covered means that it was read to answer a request or to handle due work, so the results of tests depend on it. */
export interface OpenPointCoverage extends Counted {
  /** `transfers.settlement` */
  readonly setting: string;
  /** As a user would write it. */
  readonly value: Json;
  readonly isDefault: boolean;
}

type Items = { readonly [Section in CoverageSection]: Coverage[Section] };

export function summarize(items: Items): Coverage {
  const tallies = coverageSections.map((section) => [section, tally(items[section])]);
  const sections = Object.fromEntries(tallies) as Coverage["sections"];
  const met = gatedSections.reduce((sum, section) => sum + sections[section].met, 0);
  const total = gatedSections.reduce((sum, section) => sum + sections[section].total, 0);
  const percent = total === 0 ? 100 : Math.floor((met * 1000) / total) / 10;
  const { operations, transitions, causes, topics, rules, openPoints } = items;
  return { percent, met, total, sections, operations, transitions, causes, topics, rules, openPoints };
}

function tally(items: readonly Counted[]): { readonly met: number; readonly total: number } {
  return { met: items.filter(({ met }) => met).length, total: items.length };
}

/** The most rules, and the most values of settings, that are kept. Users may write any number of them. */
export const OWN_MAX = 1000;

/** The most bytes of the rules, and of the values, as JSON. */
export const OWN_BYTES_MAX = 1024 * 1024;

/** Merges coverages: everything that any part covered, out of everything that any part could cover. A setting is listed with each value that it had. */
export function mergeCoverage(parts: readonly Coverage[]): Coverage {
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return first;
  const operations = merge(parts, ({ operations }: Coverage) => operations, keyOf.operations);
  const openPoints = merge(parts, ({ openPoints }: Coverage) => openPoints, keyOf.openPoints);
  const placeOf = ({ setting }: OpenPointCoverage): number => settings.findIndex(({ path }) => path === setting);
  return summarize({
    operations: operations.toSorted(
      (a, b) => operationIds.indexOf(a.operation) - operationIds.indexOf(b.operation) || a.status - b.status,
    ),
    transitions: merge(parts, ({ transitions }: Coverage) => transitions, keyOf.transitions),
    causes: merge(parts, ({ causes }: Coverage) => causes, keyOf.causes),
    topics: merge(
      parts,
      ({ topics }: Coverage) => topics,
      keyOf.topics,
      (a, b) => ({ ...add(a, b), delivered: a.delivered + b.delivered }),
    ),
    rules: fitting(merge(parts, ({ rules }: Coverage) => rules, keyOf.rules), keyOf.rules),
    openPoints: fitting(openPoints, keyOf.openPoints).toSorted((a, b) => placeOf(a) - placeOf(b)),
  });
}

function fitting<Item>(items: readonly Item[], key: (item: Item) => string): readonly Item[] {
  let bytes = 0;
  const over = items.findIndex((item, at) => at >= OWN_MAX || (bytes += key(item).length) > OWN_BYTES_MAX);
  return over === -1 ? items : items.slice(0, over);
}

type Named<Section extends CoverageSection> = Omit<Coverage[Section][number], keyof Counted>;

/** The key of an item, for counting and merging. */
export const keyOf = {
  operations: ({ operation, status }: Pick<OperationCoverage, "operation" | "status">) => `${operation} ${status}`,
  transitions: ({ resource, from, action, to }: Named<"transitions">) => `${resource} ${from} ${action} ${to}`,
  causes: ({ of, cause }: Pick<CauseCoverage, "of" | "cause">) => `${of} ${cause}`,
  topics: ({ topic }: Pick<TopicCoverage, "topic">): string => topic,
  rules: ({ name, on, match, then }: Named<"rules">) => JSON.stringify([name, on, match, then]),
  openPoints: ({ setting, value }: Pick<OpenPointCoverage, "setting" | "value">) => JSON.stringify([setting, value]),
};

export function counted(count: number): Counted {
  return { met: count > 0, count };
}

/** Merges items with the same key into one, at the place of the first. */
function merge<Item extends Counted>(
  parts: readonly Coverage[],
  itemsOf: (part: Coverage) => readonly Item[],
  key: (item: Item) => string,
  join: (a: Item, b: Item) => Item = add,
): readonly Item[] {
  const merged = new Map<string, Item>();
  for (const item of parts.flatMap(itemsOf)) {
    const name = key(item);
    const before = merged.get(name);
    merged.set(name, before === undefined ? item : join(before, item));
  }
  return [...merged.values()];
}

function add<Item extends Counted>(a: Item, b: Item): Item {
  return { ...a, ...counted(a.count + b.count) };
}
