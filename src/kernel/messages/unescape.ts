/** How many times escapes are resolved: a text may be in a JSON text in a URL. */
const TIMES_MAX = 4;
/** Resolving takes time for each escape, and for each character of each result. */
const ESCAPES_MAX = 10_000;
const CHARACTERS_MAX = 4 * 1024 * 1024;

const HEX = "[0-9A-Fa-f]";
const TAIL = `%[89ABab]${HEX}`;
const URL_ESCAPES = [
  // First the characters of UTF-8, then bytes that are not UTF-8.
  `%[0-7]${HEX}|%[CDcd]${HEX}${TAIL}|%[Ee]${HEX}(?:${TAIL}){2}|%[Ff][0-7](?:${TAIL}){3}`,
  `%[89A-Fa-f]${HEX}`,
  `%[Uu]${HEX}{4}`,
];
const URL_ESCAPE = new RegExp(URL_ESCAPES.join("|"), "g");
const ESCAPE = new RegExp(
  [
    ...URL_ESCAPES,
    String.raw`\\[Uu]${HEX}{4}|\\[Xx]${HEX}{2}|\\["\\/BFNRTbfnrt]`,
    String.raw`&(?:[Aa][Mm][Pp]|[Ll][Tt]|[Gg][Tt]|[Qq][Uu][Oo][Tt]|[Aa][Pp][Oo][Ss]);|&#\d{1,7};|&#[Xx]${HEX}{1,6};`,
  ].join("|"),
  "g",
);

/** The text, and the text with its escapes for URLs, JSON and HTML resolved once, twice and so on; undefined when there are too many. */
export function unescaped(text: string): readonly string[] | undefined {
  if (!/[%\\&]/.test(text)) return [text];
  if (isOverEscaped(text)) return undefined;
  // A backslash before a slash may be an escape, or the end of a part of a path.
  const texts = [text, ...resolveAll(text, ESCAPE), ...(/[\\&]/.test(text) ? resolveAll(text, URL_ESCAPE) : [])];
  return texts.reduce((sum, { length }) => sum + length, 0) > CHARACTERS_MAX ? undefined : texts;
}

function isOverEscaped(text: string): boolean {
  // The shortest escapes have two characters.
  if (text.length <= 2 * ESCAPES_MAX) return false;
  let left = ESCAPES_MAX;
  for (const _ of text.matchAll(ESCAPE)) if (left-- === 0) return true;
  return false;
}

function resolveAll(text: string, escape: RegExp): readonly string[] {
  const texts: string[] = [];
  for (let last = text; texts.length < TIMES_MAX; texts.push(last)) {
    const next = last.replaceAll(escape, resolve);
    if (next === last) break;
    last = next;
  }
  return texts;
}

function resolve(escape: string): string {
  if (escape.startsWith("%")) return resolveUrl(escape);
  const [, hex] = /^(?:\\[ux]|&#x)([0-9a-f]+);?$/i.exec(escape) ?? [];
  if (hex !== undefined) return character(Number.parseInt(hex, 16), escape);
  if (escape.startsWith("&#")) return character(Number.parseInt(escape.slice(2), 10), escape);
  return named[escape.toLowerCase()] ?? escape.slice(1);
}

function character(code: number, escape: string): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : escape;
}

function resolveUrl(escape: string): string {
  if (escape.length === 3) return String.fromCodePoint(Number.parseInt(escape.slice(1), 16));
  if (/^%u/i.test(escape)) return String.fromCodePoint(Number.parseInt(escape.slice(2), 16));
  return Buffer.from(escape.replaceAll("%", ""), "hex").toString("utf8");
}

const named: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
  "\\b": "\b",
  "\\f": "\f",
  "\\n": "\n",
  "\\r": "\r",
  "\\t": "\t",
};
