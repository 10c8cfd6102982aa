import { valueAt } from "../../kernel/fields.js";
import { isObject } from "../../kernel/messages/json.js";

/**
 * How one state became another, place by place. A sound application makes equal changes for the same events about another order: numbers are compared by
 * how much they grew, lists by what was added and removed, and names of orders are replaced by placeholders.
 */
export type Change = readonly ChangedPlace[];

type ChangedPlace = { readonly place: string } & (
  | { readonly plus: number }
  /** `undefined` is a value that is absent, such as the member of an order that is not known yet. */
  | { readonly from: unknown; readonly to: unknown }
);

/** Name of an order → its placeholder. Of names that contain one another, the longest is first. */
export type Names = ReadonlyMap<string, string>;

export function changeOf(before: unknown, after: unknown, names: Names): Change {
  return diff(rename(before, names), rename(after, names));
}

export function isSameChange(one: Change, other: Change): boolean {
  return stableText(one) === stableText(other);
}

function diff(before: unknown, after: unknown, place = ""): Change {
  if (stableText(before) === stableText(after)) return [];
  const [from, to] = [numberOf(before), numberOf(after)];
  // An absent count is 0.
  const areCounts = (from !== undefined || before === undefined) && (to !== undefined || after === undefined);
  if (areCounts) return [{ place, plus: round((to ?? 0) - (from ?? 0)) }];
  if (Array.isArray(before) && Array.isArray(after)) return diffLists(before, after, place);
  if (!isObject(before) || !isObject(after)) return [{ place, from: before, to: after }];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return keys.flatMap((key) =>
    diff(valueAt(before, [key]), valueAt(after, [key]), place === "" ? key : `${place}.${key}`),
  );
}

/** The position of an item does not matter: what counts is which items changed, were added or removed. */
function diffLists(before: readonly unknown[], after: readonly unknown[], place: string): Change {
  const items =
    before.length === after.length
      ? before.map((item, index) => diff(item, after[index], ITEM))
      : [
          ...without(before, after).map((item): Change => [{ place: ITEM, from: item, to: undefined }]),
          ...without(after, before).map((item): Change => [{ place: ITEM, from: undefined, to: item }]),
        ];
  const changed = items.filter(({ length }) => length > 0);
  // Several items of one list have a line each: `list[]`, `list[]#2`.
  return changed
    .toSorted((a, b) => (stableText(a) < stableText(b) ? -1 : 1))
    .flatMap((item, index) => {
      const own = `${place}${ITEM}${index === 0 ? "" : `#${index + 1}`}`;
      return item.map((change) => ({ ...change, place: own + change.place.slice(ITEM.length) }));
    });
}

const ITEM = "[]";

/** Each item of `others` removes one that is equal. */
function without(items: readonly unknown[], others: readonly unknown[]): unknown[] {
  const counts = new Map<string, number>();
  for (const other of others.map(stableText)) counts.set(other, (counts.get(other) ?? 0) + 1);
  return items.filter((item) => {
    const left = counts.get(stableText(item)) ?? 0;
    counts.set(stableText(item), left - 1);
    return left <= 0;
  });
}

/** Databases print sums as text: `"10000.00"`. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^-?\d{1,15}(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

/** So that 0.1 + 0.2 is 0.3. */
function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function rename(value: unknown, names: Names): unknown {
  if (typeof value === "string") return renameText(value, names);
  if (Array.isArray(value)) return value.map((item) => rename(item, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [renameText(key, names), rename(item, names)]));
}

function renameText(text: string, names: Names): string {
  return [...names].reduce((renamed, [name, place]) => renamed.replaceAll(patternOf(name), place), text);
}

const LONG_NAME = 8;

/** A short name, such as 7, is part of many texts: it is replaced only as a whole word. */
function patternOf(name: string): string | RegExp {
  if (name.length >= LONG_NAME) return name;
  return new RegExp(`(?<!\\w)${name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(?!\\w)`, "g");
}

/** The same for equal values, whatever the order of their members. */
function stableText(value: unknown): string {
  const sorted = (_key: string, item: unknown): unknown =>
    isObject(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)))
      : item;
  return JSON.stringify(value, sorted) ?? "absent";
}

const LINES_MAX = 8;
const TEXT_MAX = 120;

/** Where two changes differ, a line for each place: `revenue: +20000, should be +10000`. */
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
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
}
