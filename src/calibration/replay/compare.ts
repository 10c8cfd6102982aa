import { isDeepStrictEqual } from "node:util";
import { parseBody } from "../../adapters/har/http-exchange.js";
import { isObject, type Json, memberOf } from "../../kernel/messages/json.js";
import { REDACTED } from "../../sandbox/observation/redact.js";
import type { ExchangeName } from "../recording/entry.js";
import { groupBy } from "../../kernel/collections.js";
import { prefixOf } from "../recording/resources.js";
import { endOf, readTimestamp } from "../recording/timestamps.js";
import type { Bindings } from "./bindings.js";

export type DifferenceKind = "added" | "missing" | "type" | "value" | "status" | "order" | "signature";

/** Where the service and the sandbox differ in an answer or a webhook. */
export interface Difference {
  /** A JSON pointer into `{status, headers, body}`, such as `/body/data/0/id`. */
  readonly pointer: string;
  /** `added`: only the service has it. `missing`: only the sandbox has it. */
  readonly kind: DifferenceKind;
  /** What the sandbox says. */
  readonly expected: Json;
  /** What the service said. */
  readonly got: Json;
}

/** A difference at its place in the source. */
export interface FoundDifference extends Difference {
  readonly exchange: ExchangeName;
  /** `GET /v1/charges/:id`, or a topic. */
  readonly subject: string;
}

export interface Comparison {
  readonly bindings: Bindings;
  /** How far times may be apart, ms. */
  readonly toleranceMs: number;
  /** What is added to the balances of the sandbox, XOF. */
  readonly balanceOffset: number;
}

/** Times within this distance are the same. */
export const TOLERANCE_MS = 1_000;

/** At most this many differences of a body are found. */
export const DIFFERENCES_MAX = 1_000;

/** Compares, field by field, the bodies of the same operation with the same outcome. */
export function compareBodies(theirs: unknown, ours: unknown, comparison: Comparison): Difference[] {
  const found: Difference[] = [];
  for (const difference of compare(theirs, ours, "/body", comparison)) {
    if (found.push(difference) === DIFFERENCES_MAX) break;
  }
  return found;
}

function* compare(theirs: unknown, ours: unknown, pointer: string, comparison: Comparison): Generator<Difference> {
  const differs = (kind: DifferenceKind, expected = ours): Difference => ({
    pointer,
    kind,
    expected: asJson(expected),
    got: asJson(theirs),
  });
  const name = pointer.slice(pointer.lastIndexOf("/") + 1);
  if (theirs === undefined || ours === undefined) {
    if (theirs !== ours) yield differs(ours === undefined ? "added" : "missing");
    return;
  }
  if (theirs === REDACTED || ours === REDACTED) return;
  const types = [typeOf(theirs), typeOf(ours)];
  if (types[0] !== types[1]) {
    yield differs(types.includes("null") ? "value" : "type");
  } else if (MADE_UP.has(name)) {
    const isCursor = pointer.startsWith("/body/cursor/") && typeof theirs === "string" && typeof ours === "string";
    if (isCursor) comparison.bindings.bindCursor(theirs, ours);
  } else if (Array.isArray(theirs) && Array.isArray(ours)) {
    yield* compareLists(theirs, ours, pointer, comparison);
  } else if (isObject(theirs) && isObject(ours) && name !== "metadata") {
    for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)]))
      yield* compare(memberOf(theirs, key), memberOf(ours, key), `${pointer}/${escape(key)}`, comparison);
  } else {
    const expected = name === "balance" && typeof ours === "number" ? roundXof(ours + comparison.balanceOffset) : ours;
    if (!isSame(name, theirs, expected, comparison)) yield differs("value", expected);
  }
}

/** Compares two values of one type that are not lists. Objects come here only as free-form data of the caller, which is compared as a whole. */
function isSame(name: string, theirs: unknown, ours: unknown, comparison: Comparison): boolean {
  if (typeof theirs === "string" && typeof ours === "string") return isSameText(name, theirs, ours, comparison);
  return isDeepStrictEqual(theirs, ours);
}

function* compareLists(
  theirs: readonly unknown[],
  ours: readonly unknown[],
  pointer: string,
  comparison: Comparison,
): Generator<Difference> {
  if (theirs.length === ours.length && isReordered(theirs.map(outlineOf), ours.map(outlineOf))) {
    yield { pointer, kind: "order", expected: asJson(ours), got: asJson(theirs) };
    const byOutline = groupBy(ours, outlineOf);
    for (const [at, item] of theirs.entries())
      yield* compare(item, byOutline.get(outlineOf(item))?.shift(), `${pointer}/${at}`, comparison);
    return;
  }
  for (let at = 0; at < Math.max(theirs.length, ours.length); at++) {
    yield* compare(theirs[at], ours[at], `${pointer}/${at}`, comparison);
  }
}

function isReordered(theirs: readonly string[], ours: readonly string[]): boolean {
  return !isDeepStrictEqual(theirs, ours) && isDeepStrictEqual(theirs.toSorted(), ours.toSorted());
}

/** An item without what the service generates: its ids and times. */
function outlineOf(item: unknown): string {
  return JSON.stringify(item, (key, value: unknown) =>
    isId(key) || readTimestamp(value) !== undefined ? undefined : value,
  );
}

function isSameText(name: string, theirs: string, ours: string, { bindings, toleranceMs }: Comparison): boolean {
  if (isId(name)) return bindings.bind(theirs, ours) && prefixOf(theirs) === prefixOf(ours);
  const [their, our] = [readTimestamp(theirs), readTimestamp(ours)];
  if (their !== undefined && our !== undefined) {
    return their.form === our.form && our.at >= their.at - toleranceMs && our.at <= endOf(their.at) + toleranceMs;
  }
  return theirs === ours || bindings.toOurs(theirs) === ours;
}

/** Members that must be there with the same type, but whose values are not compared. */
const MADE_UP: ReadonlySet<string> = new Set(["message", "error", "correlationId", "paymentUrl", "prev", "next"]);

/** The JSON of a body, in which members whose values are not compared have the name of their type. */
export function readComparable(body: Uint8Array): unknown {
  const value = parseBody(Buffer.from(body).toString());
  if (value === undefined) return "";
  return JSON.parse(JSON.stringify(value), (name, member: unknown) => (MADE_UP.has(name) ? typeOf(member) : member));
}

function isId(name: string): boolean {
  return name === "id" || name === "batchId";
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}

/** Escapes `~` and `/` in a name, as RFC 6901 says. */
function escape(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function roundXof(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** Undefined becomes null: the kind of the difference says which side has nothing. */
export function asJson(value: unknown): Json {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json);
}
