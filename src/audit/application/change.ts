import { groupBy, surplus } from "../../kernel/collections.js";
import { valueAt } from "../../kernel/fields.js";
import { isObject, type JsonObject } from "../../kernel/messages/json.js";
import { shorten } from "../../kernel/messages/text.js";
import type { Instant } from "../../kernel/time/instant.js";
import { type Names, normalize, ROWS } from "./normalize.js";

/**
 * The difference between two states, place by place. A sound application makes equal changes when it gets the same events about another order: numbers are
 * compared by how much they grew, lists by what was added and removed, and names of orders are replaced by placeholders.
 */
export type Change = readonly ChangedPlace[];

export type ChangedPlace = { readonly place: string } & (
  | { readonly plus: number }
  /** `undefined` means that the value is absent, such as the member of an order that the application did not know before. */
  | { readonly from: unknown; readonly to: unknown }
);

export interface Comparison {
  readonly names?: Names;
  /** Places that vary by themselves, in the form that `patternOf` returns. */
  readonly ignored?: ReadonlySet<string>;
  /** Numbers within 60 days of this instant, in seconds, milliseconds or microseconds, are taken for times. */
  readonly now?: Instant;
}

export function changeOf(
  before: unknown,
  after: unknown,
  { names = new Map(), ignored = new Set(), now = Number.NaN }: Comparison = {},
): Change {
  return diff(normalize(before, names, now), normalize(after, names, now), "", ignored);
}

/** The place without the numbers of list items, so that it is the same for every row of a table. */
export function patternOf({ place }: Pick<ChangedPlace, "place">): string {
  return place.replaceAll(/#\d+/g, "");
}

export function isSameChange(one: Change, other: Change): boolean {
  return stableText(one) === stableText(other);
}

function diff(before: unknown, after: unknown, place: string, ignored: ReadonlySet<string>): Change {
  if (stableText(before) === stableText(after) || ignored.has(place)) return [];
  if (isNumberOrAbsent(before) && isNumberOrAbsent(after))
    return [{ place, plus: round((numberOf(after) ?? 0) - (numberOf(before) ?? 0)) }];
  // A table with one row may be printed as that row.
  if ((Array.isArray(before) && isScalar(after)) || (isScalar(before) && Array.isArray(after)))
    return diffLists([before].flat(), [after].flat(), place, ignored);
  const areEmpty = isEmptyOrAbsent(before) && isEmptyOrAbsent(after);
  if (!areEmpty && isListOrAbsent(before) && isListOrAbsent(after)) {
    const [row, rowAfter] = [figuresByName(before), figuresByName(after)];
    if (row !== undefined && rowAfter !== undefined) return diffMembers(row, rowAfter, place, ignored);
    const [table, tableAfter] = [tableOf(before), tableOf(after)];
    if (table === undefined || tableAfter === undefined) return diffLists(before ?? [], after ?? [], place, ignored);
    return [
      ...diffMembers(table.figures, tableAfter.figures, place, ignored),
      ...diffLists(table.others, tableAfter.others, place, ignored),
    ];
  }
  if (!areEmpty && isObjectOrAbsent(before) && isObjectOrAbsent(after))
    return diffMembers(before ?? {}, after ?? {}, place, ignored);
  return [{ place, from: before, to: after }];
}

/** A count that is absent is taken for 0. */
function isNumberOrAbsent(value: unknown): boolean {
  return value === undefined || numberOf(value) !== undefined;
}

function isScalar(value: unknown): boolean {
  return value !== undefined && !Array.isArray(value) && !isObject(value);
}

function isListOrAbsent(value: unknown): value is readonly unknown[] | undefined {
  return value === undefined || Array.isArray(value);
}

function isObjectOrAbsent(value: unknown): value is JsonObject | undefined {
  return value === undefined || isObject(value);
}

function isEmptyOrAbsent(value: unknown): boolean {
  return value === undefined || (!isScalar(value) && Object.keys(value as object).length === 0);
}

function diffMembers(before: JsonObject, after: JsonObject, place: string, ignored: ReadonlySet<string>): Change {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return keys.flatMap((key) =>
    diff(valueAt(before, [key]), valueAt(after, [key]), place === "" ? key : `${place}.${key}`, ignored),
  );
}

/** The figures of a table with one row such as `select sum(amount) as revenue …`, by the names in its header or its own. Undefined for other lists. */
function figuresByName(list: readonly unknown[] = []): JsonObject | undefined {
  const [header, row = header] = list.map((item) => (isObject(item) ? item : { value: item }));
  if (header === undefined || row === undefined || list.length > 2) return undefined;
  const names = row === header ? Object.keys(header) : Object.values(header);
  const figures = Object.values(row);
  const isTable =
    figures.length > 0 &&
    figures.length === names.length &&
    figures.every((figure) => numberOf(figure) !== undefined) &&
    names.every((name) => typeof name === "string" && numberOf(name) === undefined);
  return isTable ? Object.fromEntries(names.map((name, index) => [name, figures[index]])) : undefined;
}

/**
 * The figures of a table such as `select status, count(*) … group by status`, by label, which is all texts of a row; and its rows without figures or label, such as
 * a title or a sum. Figures of 0 are left out, so that 0 and an absent figure are equal. A header that is printed again begins another table. Undefined for other
 * lists.
 */
function tableOf(list: readonly unknown[] = []) {
  const figures = new Map<string, object>();
  const labels = new Set<string>();
  const others: unknown[] = [];
  const header = stableText(list[0]);
  let tables = 0;
  for (const item of list) {
    const cells =
      Array.isArray(item) || isObject(item) ? Object.entries(item).filter(([, cell]) => !isBlank(cell)) : [];
    const texts = cells.filter(([, cell]) => numberOf(cell) === undefined).map(([, cell]) => cell);
    if (texts.length === 0 || texts.length === cells.length) {
      others.push(item);
      if (stableText(item) === header) tables++;
      continue;
    }
    if (!texts.every((text) => typeof text === "string" && LABEL.test(text))) return undefined;
    const label = [...texts, ...(tables > 1 ? [tables] : [])].join(" ");
    // Rows that share a label are not counts, but orders with their status.
    if (labels.has(label)) return undefined;
    labels.add(label);
    const counts = cells.filter(([, cell]) => numberOf(cell) !== undefined && numberOf(cell) !== 0);
    if (counts.length > 0) figures.set(label, Object.fromEntries(counts));
  }
  return { figures: Object.fromEntries(figures), others };
}

/** Databases print NULL as an empty text, or as a word. */
function isBlank(cell: unknown): boolean {
  return cell === null || cell === "" || cell === "NULL";
}

/** A word, but not an id, nor a placeholder such as `<id>`. */
const LABEL = /^[^\d<>]+$/;

/** Compares lists regardless of the order of their items: only which items changed, were added or were removed matters. */
function diffLists(
  before: readonly unknown[],
  after: readonly unknown[],
  place: string,
  ignored: ReadonlySet<string>,
): Change {
  const [gone, added] = [surplus(before, after, stableText), surplus(after, before, stableText)];
  const item = place + ITEM;
  const items =
    gone.length === added.length
      ? gone.map((each, index) => diff(each, added[index], item, ignored))
      : [
          ...gone.map((each) => diff(each, undefined, item, ignored)),
          ...added.map((each) => diff(undefined, each, item, ignored)),
        ];
  const changed = items.filter(({ length }) => length > 0);
  // Each changed item of a list has its own place: `list[]`, `list[]#2`.
  return changed
    .toSorted((a, b) => (stableText(a) < stableText(b) ? -1 : 1))
    .flatMap((each, index) => {
      const own = index === 0 ? item : `${item}#${index + 1}`;
      return each.map((change) => ({ ...change, place: own + change.place.slice(item.length) }));
    });
}

const ITEM = "[]";

/** Databases print sums as text: `"10000.00"`. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^-?\d{1,15}(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

/** Removes floating-point errors: 0.1 + 0.2 becomes 0.3. */
function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/**
 * The places at which two changes that should be equal differ, if they differ only in serial ids and the like: new or replaced texts with digits in them, and
 * numbers in rows. Undefined when anything else differs.
 */
export function variedPlaces(one: Change, other: Change): ReadonlySet<string> | undefined {
  const [values, others] = [byPattern(one), byPattern(other)];
  const patterns = [...new Set([...values.keys(), ...others.keys()])].filter(
    (pattern) => stableText(values.get(pattern)) !== stableText(others.get(pattern)),
  );
  const areSerial = patterns.every((pattern) => {
    const [ours = [], theirs = []] = [values.get(pattern), others.get(pattern)];
    return pattern !== "" && ours.length === theirs.length && [...ours, ...theirs].every(isSerial);
  });
  return areSerial ? new Set(patterns) : undefined;
}

function byPattern(change: Change): ReadonlyMap<string, readonly ChangedPlace[]> {
  const groups = groupBy(
    change.map((changed) => ({ ...changed, place: patternOf(changed) })),
    ({ place }) => place,
  );
  for (const places of groups.values()) places.sort((one, other) => (stableText(one) < stableText(other) ? -1 : 1));
  return groups;
}

/** A number can be a serial id only in a row: elsewhere it is a sum. */
function isSerial(changed: ChangedPlace): boolean {
  if ("plus" in changed) return changed.place.includes(ITEM) || changed.place.includes(ROWS);
  return typeof changed.to === "string" && /\d/.test(changed.to);
}

/** JSON with sorted members, so that equal values have equal texts. */
function stableText(value: unknown): string {
  const sorted = (_key: string, item: unknown): unknown =>
    isObject(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)))
      : item;
  return JSON.stringify(value, sorted) ?? "absent";
}

const LINES_MAX = 8;
const TEXT_MAX = 120;

/** Where two changes differ, one line for each place: `revenue: +20000, should be +10000`. */
export function describeDifference(expected: Change, actual: Change): readonly string[] {
  const [wanted, seen] = [linesOf(expected), linesOf(actual)];
  const places = [...new Set([...wanted.keys(), ...seen.keys()])];
  const lines = places.flatMap((place) => {
    const [right = "unchanged", found = "unchanged"] = [wanted.get(place), seen.get(place)];
    return right === found ? [] : [`${place === "" ? "the value" : place}: ${found}, should be ${right}`];
  });
  const left = lines.length - LINES_MAX;
  return left > 0 ? [...lines.slice(0, LINES_MAX), `and ${left} more`] : lines;
}

/** Place → what happened there. */
function linesOf(change: Change): ReadonlyMap<string, string> {
  return new Map(change.map((changed) => [changed.place, describePlace(changed)]));
}

function describePlace(changed: ChangedPlace): string {
  if ("plus" in changed) return changed.plus > 0 ? `+${changed.plus}` : String(changed.plus);
  const { from, to } = changed;
  if (from === undefined) return `${show(to)} is new`;
  if (to === undefined) return `${show(from)} is gone`;
  return `${show(from)} → ${show(to)}`;
}

function show(value: unknown): string {
  return shorten(JSON.stringify(value) ?? "nothing", TEXT_MAX);
}
