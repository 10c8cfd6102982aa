import type { EventValue } from "../wire/check.js";
/** JSON in other spellings: the same value to every parser, other bytes. */
export interface Spelling {
  /** White space between the tokens, chosen anew for each place. Default: none. */
  readonly space?: (place: number) => string;
  readonly comma?: string;
  readonly colon?: string;
  readonly text?: (text: string) => string;
  readonly number?: (value: number) => string;
  readonly keys?: (keys: string[]) => string[];
}

export function printJson(value: unknown, spelling: Spelling = {}): string {
  const { space = () => "", comma = ",", colon = ":" } = spelling;
  const { text = JSON.stringify, number = String, keys = (names) => names } = spelling;
  let place = 0;
  const gap = (): string => space(place++);
  const list = (open: string, items: readonly string[], close: string): string =>
    items.length === 0 ? open + close : `${open}${gap()}${items.join(`${gap()}${comma}${gap()}`)}${gap()}${close}`;
  const print = (item: unknown): string => {
    if (typeof item === "string") return text(item);
    if (typeof item === "number") return number(item);
    if (Array.isArray(item)) return list("[", item.map(print), "]");
    if (typeof item !== "object" || item === null) return JSON.stringify(item ?? null);
    const members = new Map(Object.entries(item));
    const names = keys([...members.keys()].filter((name) => members.get(name) !== undefined));
    return list(
      "{",
      names.map((name) => `${text(name)}${gap()}${colon}${gap()}${print(members.get(name))}`),
      "}",
    );
  };
  return print(value);
}

const SPACES = ["  ", "\n\t", " ", "\r\n    ", ""];

/** Tabs, line ends, and more spaces than anybody would write, also around the whole. */
export function printSpaced(value: unknown): string {
  return `\n ${printJson(value, { space: (place) => SPACES[place % SPACES.length] ?? "" })}\r\n`;
}

/** `paid` as `\u0070aid`, `/` as `\/`. */
export function printEscaped(value: unknown): string {
  const escape = (text: string): string =>
    JSON.stringify(text)
      .replaceAll("/", String.raw`\/`)
      .replace(/^"([a-z])/i, (_, first: string) => `"${unicodeEscape(first)}`);
  return printJson(value, { text: escape });
}

/** 10000 as `1e4`, 50.5 as `50.50`. */
export function printNumbers(value: unknown): string {
  return printJson(value, { number: respell });
}

export function printReversed(value: unknown): string {
  return printJson(value, { keys: (names) => names.toReversed() });
}

export function printSorted(value: unknown): string {
  return printJson(value, { keys: (names) => names.toSorted() });
}

/** As `json.dumps` of Python: `{"a": 1, "b": [1, 2]}`. */
export function printPython(value: unknown): string {
  return printJson(value, { comma: ", ", colon: ": " });
}

/** As `json_encode` of PHP: compact, with `\/`. */
export function printPhp(value: unknown): string {
  return JSON.stringify(value).replaceAll("/", String.raw`\/`);
}

function respell(value: number): string {
  if (Number.isInteger(value)) {
    const [digits = "", zeros = ""] = /^(-?\d*?[1-9])(0{3,})$/.exec(String(value))?.slice(1) ?? [];
    return zeros === "" ? String(value) : `${digits}e${zeros.length}`;
  }
  return /e/.test(String(value)) ? String(value) : `${value}0`;
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A body with unusual white space, and what receivers make of it before they hash it. */
export function signedFormsOf(value: EventValue): {
  readonly body: string;
  readonly forms: readonly (readonly [form: string, text: string])[];
} {
  const body = printSpaced(value);
  const forms: readonly (readonly [form: string, text: string])[] = [
    ["parsed and printed again (JSON.stringify)", JSON.stringify(value)],
    ["parsed and printed again (json.dumps)", printPython(value)],
    ["parsed and printed again (json_encode)", printPhp(value)],
    ["parsed and printed again with two spaces", JSON.stringify(value, undefined, 2)],
    ["parsed and printed again with its members sorted", printSorted(value)],
    ["without what stands around its data", JSON.stringify(value.data ?? null)],
    ["in lower case", body.toLowerCase()],
    ["without the white space around it", body.trim()],
    ["as base64", Buffer.from(body).toString("base64")],
  ];
  // An event of the user's may be without capitals, say.
  return { body, forms: forms.filter(([, text]) => text !== body) };
}

/** The text of an event with another amount than the one that was signed. */
export function tamper(value: EventValue): string {
  const { data } = value;
  if (typeof data !== "object" || data === null || Array.isArray(data)) return JSON.stringify({ ...value, data: 1 });
  const amount: unknown = "amount" in data ? data.amount : undefined;
  return JSON.stringify({ ...value, data: { ...data, amount: typeof amount === "number" ? amount * 10 + 1 : 1 } });
}
