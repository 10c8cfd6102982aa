import { isObject } from "../../kernel/messages/json.js";
import type { AuditEvent } from "../wire/check.js";

/** JSON in other spellings: the same value for every parser, in other bytes. */

const SPACES = ["  ", "\n\t", " ", "\r\n    ", ""];

/** Tabs, line ends, and unusual spaces between the tokens and around the whole. */
export function printSpaced(value: unknown): string {
  let place = 0;
  // JSON.stringify escapes line ends in strings, so these are all between tokens.
  const spaced = JSON.stringify(value, undefined, " ").replaceAll(/\n */g, () => SPACES[place++ % SPACES.length] ?? "");
  return `\n ${spaced}\r\n`;
}

/** `paid` as `\u0070aid`, `/` as `\/`. */
export function printEscaped(value: unknown): string {
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return printPhp(value).replaceAll(/(?<=[{[,:]")[a-z]/gi, escape);
}

/** 10000 as `1e4`, 50.5 as `50.50`. */
export function printNumbers(value: unknown): string {
  const marked = JSON.stringify(value, (_, item: unknown) => (typeof item === "number" ? MARK + respell(item) : item));
  return marked.replaceAll(/"\\u0001([^"]*)"/g, "$1");
}

const MARK = "\u0001";

function respell(value: number): string {
  if (Number.isInteger(value)) {
    const [digits = "", zeros = ""] = /^(-?\d*?[1-9])(0{3,})$/.exec(String(value))?.slice(1) ?? [];
    return zeros === "" ? String(value) : `${digits}e${zeros.length}`;
  }
  return /e/.test(String(value)) ? String(value) : `${value}0`;
}

export function printOrdered(value: unknown, order: (keys: string[]) => string[]): string {
  return JSON.stringify(value, (_, item: unknown) =>
    isObject(item) ? Object.fromEntries(order(Object.keys(item)).map((key) => [key, item[key]])) : item,
  );
}

/** Like `json.dumps` of Python: `{"a": 1, "b": [1, 2]}`. */
function printPython(value: unknown): string {
  return JSON.stringify(value, undefined, " ").replaceAll(/,\n */g, ", ").replaceAll(/\n */g, "");
}

/** Like `json_encode` of PHP: compact, with `\/`. */
function printPhp(value: unknown): string {
  return JSON.stringify(value).replaceAll("/", String.raw`\/`);
}

/** A body with unusual white space, and the other forms of it that wrong receivers hash. */
export function signedFormsOf(value: AuditEvent["value"]) {
  const body = printSpaced(value);
  const forms: readonly (readonly [form: string, text: string])[] = [
    ["parsed and printed again (JSON.stringify)", JSON.stringify(value)],
    ["parsed and printed again (json.dumps)", printPython(value)],
    ["parsed and printed again (json_encode)", printPhp(value)],
    ["parsed and printed again with two spaces", JSON.stringify(value, undefined, 2)],
    ["parsed and printed again with its members sorted", printOrdered(value, (keys) => keys.toSorted())],
    ["without what stands around its data", JSON.stringify(value["data"] ?? null)],
    ["in lower case", body.toLowerCase()],
    ["without the white space around it", body.trim()],
    ["as base64", Buffer.from(body).toString("base64")],
  ];
  // A form may equal the body, such as the one in lower case when the user's event has no capitals.
  return { body, forms: forms.filter(([, text]) => text !== body) };
}

/** The text of the event with another amount. */
export function tamper(value: AuditEvent["value"]): string {
  const { data } = value;
  if (!isObject(data)) return JSON.stringify({ ...value, data: 1 });
  const { amount } = data;
  return JSON.stringify({ ...value, data: { ...data, amount: typeof amount === "number" ? amount * 10 + 1 : 1 } });
}
