/** A value that a JSON or YAML file can hold. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** An object as JSON, YAML or a literal makes it. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object as JSON, YAML or a literal makes it: not null, a list, a map or an instance of a class. */
export function isObject(value: unknown): value is JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A value's own member of this name, and not one that every object inherits, such as `constructor`; undefined when there is none. */
export function memberOf(value: unknown, name: PropertyKey): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** The parsed JSON, or the text itself when it is not JSON. */
export function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The value with every text in it replaced; keys stay. */
export function mapTexts(value: unknown, replace: (text: string) => unknown): unknown {
  if (typeof value === "string") return replace(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, replace)]));
}

/** Bounds of a JSON value, so that later recursion over it is bounded too. */
export interface JsonBounds {
  /** How deep objects and lists may be nested. */
  readonly depth: number;
  /** The most members of all objects together. */
  readonly members: number;
  /** The most memory that the values take, by {@link valueBytes}. Checked before the text is parsed. */
  readonly valueBytes?: number;
  /** Whether objects may not have a member `toString`: `String` and `Number` throw for those. */
  readonly areTexts?: true;
}

const VALUE_BYTES = 16;
const CONTAINER_BYTES = 96;
const [COMMA, BRACE, BRACKET] = Buffer.from(",{[");

/** About how much memory the values of a JSON text take: `[{},{},…` takes forty times as much as its text. Commas and brackets in strings count too. */
export function valueBytes(json: Uint8Array): number {
  let bytes = 0;
  // Four times as fast as `for … of`.
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === COMMA) bytes += VALUE_BYTES;
    else if (byte === BRACE || byte === BRACKET) bytes += CONTAINER_BYTES;
  }
  return bytes;
}

/** The exceeded bound, completing "The body …"; undefined when there is none. Works level by level, so that no nesting overflows the stack. */
export function beyondBounds(value: unknown, { depth, members, areTexts }: JsonBounds): string | undefined {
  let found = 0;
  let level = [value].filter(isContainer);
  for (let deep = 0; level.length > 0; deep++) {
    if (deep === depth) return `is nested deeper than ${depth} levels`;
    const next: object[] = [];
    for (const container of level) {
      const held: readonly unknown[] = Array.isArray(container) ? container : Object.values(container);
      if (!Array.isArray(container)) found += held.length;
      if (found > members) return `has more than ${members} members`;
      if (areTexts && Object.hasOwn(container, "toString")) return "has a member toString";
      for (const item of held) if (isContainer(item)) next.push(item);
    }
    level = next;
  }
  return undefined;
}

/** Whether a value is an object or a list. */
export function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Characters that JSON escapes: `"`, `\\`, control characters and lone surrogates. */
// eslint-disable-next-line no-control-regex
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** The bytes of a value as JSON, counted without writing it. Above `max`, some number above `max`. Undefined members are left out. */
export function jsonBytes(value: unknown, max = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === "string") {
    const written = ESCAPED.test(value) ? JSON.stringify(value) : undefined;
    return written === undefined ? Buffer.byteLength(value) + 2 : Buffer.byteLength(written);
  }
  // An undefined item of a list is written as null.
  if (value === undefined) return 4;
  // `String`, since there may be a million numbers, and JSON.stringify takes far longer for each.
  if (typeof value === "number") return Number.isFinite(value) ? String(value).length : 4;
  if (typeof value !== "object" || value === null) return JSON.stringify(value).length;
  // Brackets, and a comma after each member but the last.
  let bytes = 1;
  if (Array.isArray(value)) {
    // Many times as fast as iterating over its keys.
    for (let at = 0; at < value.length && bytes <= max; at++) bytes += jsonBytes(value[at], max - bytes) + 1;
    return Math.max(2, bytes);
  }
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    const member: unknown = Reflect.get(value, key);
    if (member === undefined) continue;
    bytes += jsonBytes(key) + 1 + jsonBytes(member, max - bytes) + 1;
    if (bytes > max) return bytes;
  }
  return Math.max(2, bytes);
}
