import { isObject } from "../../kernel/messages/json.js";

/**
 * How one state became another. A sound application makes equal changes for the same events about another order: numbers are compared by how much they
 * grew, lists by what was added and removed, and names of orders are replaced by placeholders.
 */
export type Change =
  | { readonly kind: "none" }
  | { readonly kind: "number"; readonly plus: number }
  | { readonly kind: "value"; readonly from: unknown; readonly to: unknown }
  | { readonly kind: "members"; readonly members: Readonly<Record<string, Change>> }
  | { readonly kind: "items"; readonly items: readonly Change[] };

/** Name of an order → its placeholder. Of names that contain one another, the longest is first. */
export type Names = ReadonlyMap<string, string>;

export function changeOf(before: unknown, after: unknown, names: Names): Change {
  return diff(rename(before, names), rename(after, names));
}

export function isSameChange(one: Change, other: Change): boolean {
  return stableText(one) === stableText(other);
}

/** `undefined` is a value that is absent, such as the member of an order that is not known yet. */
function diff(before: unknown, after: unknown): Change {
  if (stableText(before) === stableText(after)) return { kind: "none" };
  const [from, to] = [numberOf(before), numberOf(after)];
  // An absent count is 0.
  const areCounts = (from !== undefined || before === undefined) && (to !== undefined || after === undefined);
  if (areCounts) return { kind: "number", plus: round((to ?? 0) - (from ?? 0)) };
  if (Array.isArray(before) && Array.isArray(after)) return diffLists(before, after);
  if (isObject(before) && isObject(after)) return diffObjects(before, after);
  return { kind: "value", from: before, to: after };
}

function diffObjects(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): Change {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  const own = (of: object, key: string): unknown => (Object.hasOwn(of, key) ? Reflect.get(of, key) : undefined);
  const changes = keys.map((key) => [key, diff(own(before, key), own(after, key))] as const);
  return { kind: "members", members: Object.fromEntries(changes.filter(([, change]) => change.kind !== "none")) };
}

/** The position of an item does not matter: what counts is which items changed, were added or removed. */
function diffLists(before: readonly unknown[], after: readonly unknown[]): Change {
  const items =
    before.length === after.length
      ? before.map((item, index) => diff(item, after[index]))
      : [
          ...without(before, after).map((item): Change => ({ kind: "value", from: item, to: undefined })),
          ...without(after, before).map((item): Change => ({ kind: "value", from: undefined, to: item })),
        ];
  const changed = items.filter(({ kind }) => kind !== "none");
  return { kind: "items", items: changed.toSorted((a, b) => (stableText(a) < stableText(b) ? -1 : 1)) };
}

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
function linesOf(change: Change, place = "", lines = new Map<string, string>()): ReadonlyMap<string, string> {
  switch (change.kind) {
    case "none":
      break;
    case "number":
      lines.set(place, change.plus > 0 ? `+${change.plus}` : String(change.plus));
      break;
    case "value":
      lines.set(place, describeValue(change.from, change.to));
      break;
    case "members":
      for (const [name, member] of Object.entries(change.members))
        linesOf(member, place === "" ? name : `${place}.${name}`, lines);
      break;
    case "items":
      for (const item of change.items) linesOf(item, freePlace(`${place}[]`, lines), lines);
      break;
  }
  return lines;
}

/** Several items of one list have a line each: `list[]`, `list[]#2`. */
function freePlace(place: string, lines: ReadonlyMap<string, string>): string {
  const isTaken = (candidate: string): boolean => [...lines.keys()].some((line) => line.startsWith(candidate));
  let free = place;
  for (let count = 2; isTaken(free); count++) free = `${place}#${count}`;
  return free;
}

function describeValue(from: unknown, to: unknown): string {
  if (from === undefined) return `${show(to)} is new`;
  if (to === undefined) return `${show(from)} is gone`;
  return `${show(from)} → ${show(to)}`;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
}
