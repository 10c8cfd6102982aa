import type { Change } from "./change.js";

/** So many places are told; the state may hold thousands. */
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

/** Of several items of one list each has a line of its own. */
function freePlace(place: string, lines: ReadonlyMap<string, string>): string {
  const isTaken = (candidate: string): boolean => [...lines.keys()].some((line) => line.startsWith(candidate));
  if (!isTaken(place)) return place;
  let count = 2;
  while (isTaken(`${place}#${count}`)) count++;
  return `${place}#${count}`;
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
