import { isObject } from "../../kernel/messages/json.js";
import type { Instant } from "../../kernel/time/instant.js";

/** The names of orders, each with its placeholder. A name that contains another comes before it. */
export type Names = ReadonlyMap<string, string>;

/** The state without what differs in each run: names of orders, times, and ids that the application or its database makes. */
export function normalize(value: unknown, names: Names, now: Instant): unknown {
  if (typeof value === "string") return normalizeText(value, names, now);
  if (typeof value === "number") return isTimeNumber(value, now) ? TIME : value;
  if (Array.isArray(value))
    return value.map((item) => normalize(Array.isArray(item) ? byColumn(item) : item, names, now));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [
    normalizeText(key, names, now),
    normalize(item, names, now),
  ]);
  // Rows under generated keys become a list.
  const rows = entries.filter(([key]) => isRowKey(key)).map(([, item]) => item);
  const members = entries.filter(([key]) => !isRowKey(key));
  return Object.fromEntries(rows.length === 0 ? members : [...members, [ROWS, rows]]);
}

/** The cells of a table's row by column: unlike the position of a row, that of a cell matters. */
function byColumn(row: readonly unknown[]): unknown {
  if (row.some((cell) => typeof cell === "object" && cell !== null)) return row;
  return Object.fromEntries(row.map((cell, place) => [`column ${place + 1}`, cell]));
}

const TIME = "<time>";
const ID = "<id>";
/** The member that holds the rows of an object whose keys differ in each run. */
export const ROWS = "<rows>";

function isRowKey(key: string): boolean {
  return /^\d+$/.test(key) || key.includes(ID) || key.includes(TIME);
}

const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*";
const TIMES = new RegExp(
  [
    String.raw`\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}\b))?`,
    String.raw`\b\d{8}T\d{6}(?:\.\d+)?Z?`,
    String.raw`(?:[A-Z][a-z]{2,8},? )?(?:\d{1,2} ${MONTH}|${MONTH} \d{1,2},?) (?:\d{4}|\d{1,2}:\d{2}:\d{2})[\d :APMGTUC+-]*(?:\([^)]{0,60}\))?`,
    String.raw`\b\d{1,2}[./]\d{1,2}[./]\d{4}(?:,? \d{1,2}:\d{2}(?::\d{2})?(?: ?[AP]M)?)?`,
    String.raw`\b\d{1,2}:\d{2}:\d{2}(?:\.\d+)?(?: ?[AP]M)?`,
  ].join("|"),
  "g",
);
const IDS = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[0-9a-f]*\d)[0-9a-f]{16,64}\b/gi;

function normalizeText(text: string, names: Names, now: Instant): string {
  const renamed = [...names].reduce((done, [name, place]) => done.replaceAll(patternOfName(name), place), text);
  if (/^\d{10}(\d{3}(\d{3})?)?(\.\d+)?$/.test(renamed) && isTimeNumber(Number(renamed), now)) return TIME;
  return renamed.replaceAll(IDS, ID).replaceAll(TIMES, TIME);
}

/** Seconds, milliseconds or microseconds since 1970. */
function isTimeNumber(value: number, now: Instant): boolean {
  return [1e-3, 1, 1e3].some((unit) => Math.abs(value / unit - now) < NEAR_MS);
}

const NEAR_MS = 60 * 24 * 3_600_000;

const LONG_NAME = 8;

/** A short name such as 7 occurs within many texts, so it is replaced only as a whole word. */
function patternOfName(name: string): string | RegExp {
  if (name.length >= LONG_NAME) return name;
  return new RegExp(`(?<!\\w)${name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(?!\\w)`, "g");
}
