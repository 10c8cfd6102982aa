import { Bug, UsageError } from "../messages/problem.js";
import { quote, shorten } from "../messages/text.js";

/**
 * Milliseconds of a duration as people write it, or a `UsageError("input")` that says what is wrong with it.
 *
 * Taken: a number of milliseconds (`1500`), the same as text (`"1500"`), units from large to small (`1d2h59m59.999s`,
 * `500ms`, `1.5h`), and ISO 8601 without years and months (`PT1H`, `P1DT2H30M5.5S`, `P2W`). The result is a whole
 * number: parts of a millisecond are rounded, because no clock of the sandbox is finer.
 */
export function parseDuration(value: unknown): number {
  const parsed = tryParseDuration(value);
  if ("error" in parsed) throw new UsageError("input", parsed.error);
  return parsed.ms;
}

export type ParsedDuration = { readonly ms: number } | { readonly error: string };

/** Like `parseDuration`, but returns the reason of a failure: a whole sentence that quotes the value. */
export function tryParseDuration(value: unknown): ParsedDuration {
  const read = readDuration(value);
  if (typeof read === "string") return { error: `${show(value)} is not a duration: ${read}` };
  // Adding 0 turns -0 into 0.
  return { ms: Math.round(read) + 0 };
}

/**
 * The longest duration taken, in ms: 100 years of 365.25 days. Far beyond any test, far below what a timestamp can
 * hold.
 */
export const MAX_DURATION_MS = 36_525 * 86_400_000;

/**
 * The shortest form that `parseDuration` reads back as the same whole milliseconds: `1h`, `2d3h`, `1.5s`, `500ms`,
 * `0s`.
 */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) throw new Bug(`Not a number of milliseconds: ${ms}`);
  let rest = Math.round(Math.abs(ms));
  if (rest === 0) return "0s";
  const sign = ms < 0 ? "-" : "";
  if (rest < UNIT_MS.s) return `${sign}${rest}ms`;
  let text = sign;
  for (const unit of ["d", "h", "m"] as const) {
    const count = Math.floor(rest / UNIT_MS[unit]);
    rest -= count * UNIT_MS[unit];
    if (count > 0) text += `${count}${unit}`;
  }
  return rest > 0 ? `${text}${rest / UNIT_MS.s}s` : text;
}

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;
const UNIT_NAMES = Object.keys(UNIT_MS) as readonly (keyof typeof UNIT_MS)[];
const UNIT_LIST = "d, h, m, s and ms";
const EXAMPLES = "write 10s, 1h30m, PT1H or a number of milliseconds";

/** Milliseconds, or a text that says what is wrong. */
function readDuration(value: unknown): number | string {
  const ms = typeof value === "string" ? readText(value.trim()) : readNumber(value);
  if (typeof ms === "number" && ms > MAX_DURATION_MS) return "it is longer than 100 years";
  return ms;
}

function readNumber(value: unknown): number | string {
  if (typeof value !== "number") return EXAMPLES;
  if (Number.isNaN(value)) return "it is not a number";
  if (value < 0) return "it must not be negative";
  return value === Infinity ? "it must be finite" : value;
}

function readText(text: string): number | string {
  if (text === "") return `it is empty; ${EXAMPLES}`;
  if (text.startsWith("-")) return "it must not be negative";
  if (/^\d+$/.test(text)) return Number(text);
  if (/^\d+\.\d+$/.test(text)) return `it has no unit; write ${shorten(text)}s, or whole milliseconds`;
  return text.startsWith("P") ? readIso(text) : readUnits(text);
}

/**
 * `1d2h59m59.999s`: each unit at most once, from large to small, so that a swapped `1m1h` is caught and not added up.
 */
function readUnits(text: string): number | string {
  const part = /(\d+(?:\.\d+)?)([a-zA-Zµ]+)/y;
  let ms = 0;
  let previous = -1;
  while (part.lastIndex < text.length) {
    const found = part.exec(text);
    if (found === null) return EXAMPLES;
    const [, count = "", unit = ""] = found;
    const index = UNIT_NAMES.findIndex((name) => name === unit);
    const known = UNIT_NAMES[index];
    if (known === undefined) return `unknown unit ${quote(unit)}; the units are ${UNIT_LIST}`;
    if (index === previous) return `the unit ${unit} is there twice`;
    if (index < previous) return `the units go from large to small: ${UNIT_LIST}`;
    previous = index;
    ms += Number(count) * UNIT_MS[known];
  }
  return ms;
}

function readIso(text: string): number | string {
  // An M before the T is months, after it minutes.
  if (/^P[^T]*[YM]/.test(text)) return "years and months have no fixed length; write days or weeks";
  const number = String.raw`(\d+(?:[.,]\d+)?)`;
  const time = `T(?:${number}H)?(?:${number}M)?(?:${number}S)?`;
  const found = new RegExp(`^P(?:${number}W)?(?:${number}D)?(?:${time})?$`).exec(text);
  if (found === null || /[PT]$/.test(text)) return "not an ISO 8601 duration such as PT1H, P1DT2H30M5.5S or P2W";
  const [weeks, days, hours, minutes, seconds] = found.slice(1).map((count = "0") => Number(count.replace(",", ".")));
  return (
    ((weeks ?? 0) * 7 + (days ?? 0)) * UNIT_MS.d +
    (hours ?? 0) * UNIT_MS.h +
    (minutes ?? 0) * UNIT_MS.m +
    (seconds ?? 0) * UNIT_MS.s
  );
}

function show(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  if (value === undefined) return "nothing";
  return Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
}
