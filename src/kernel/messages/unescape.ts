/** A text in which escapes are resolved. */
export interface Layer {
  readonly text: string;
  /** Whether an escape was resolved there, or beside it, to make this layer of the one before; always of the given text. */
  readonly isResolved: (from: number, to: number) => boolean;
  /** Where in the given text the character at this position begins. */
  readonly sourceOf: (at: number) => number;
}

/** A text may be escaped some times over: as a text in a JSON text in a URL. */
const LAYERS_MAX = 5;
/** Resolving takes time for each escape, and for each character of each layer. */
const ESCAPES_MAX = 10_000;
const CHARACTERS_MAX = 4 * 1024 * 1024;

const HEX = "[0-9A-Fa-f]";
const TAIL = `%[89ABab]${HEX}`;
const URL_ESCAPES = [
  // A character of UTF-8, then a byte that is none.
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

function isOverEscaped(text: string): boolean {
  // The shortest escapes have two characters.
  if (text.length <= 2 * ESCAPES_MAX) return false;
  let left = ESCAPES_MAX;
  for (const _ of text.matchAll(ESCAPE)) if (left-- === 0) return true;
  return false;
}

/** The text, and what it is when escapes for URLs, JSON and HTML are resolved once, twice and so on; undefined when that is too much. */
export function layersOf(given: string): readonly Layer[] | undefined {
  const first: Layer = { text: given, isResolved: () => true, sourceOf: (at) => at };
  if (!/[%\\&]/.test(given)) return [first];
  if (isOverEscaped(given)) return undefined;
  const all = resolveAll(first, ESCAPE);
  // A backslash before a slash may be an escape, or the end of a part of a path.
  const layers = [first, ...all, ...(/[\\&]/.test(given) ? resolveAll(first, URL_ESCAPE) : [])];
  return layers.reduce((sum, { text }) => sum + text.length, 0) > CHARACTERS_MAX ? undefined : layers;
}

function resolveAll(first: Layer, escape: RegExp): readonly Layer[] {
  const layers: Layer[] = [];
  for (let last: Layer | undefined = first; last !== undefined && layers.length < LAYERS_MAX - 1;) {
    last = resolveOnce(last, escape);
    if (last !== undefined) layers.push(last);
  }
  return layers;
}

function resolveOnce({ text, sourceOf }: Layer, escape: RegExp): Layer | undefined {
  const pieces: string[] = [];
  // Pieces of the result, and of the text, that begin at these places have the same characters.
  const places = [0];
  const sources = [0];
  let from = 0;
  let length = 0;
  for (const match of text.matchAll(escape)) {
    const [found] = match;
    const character = resolve(found);
    pieces.push(text.slice(from, match.index), character);
    length += match.index - from;
    from = match.index + found.length;
    places.push(length, length + character.length);
    sources.push(match.index, from);
    length += character.length;
  }
  if (from === 0) return undefined;
  pieces.push(text.slice(from));
  return {
    text: pieces.join(""),
    isResolved: (begin, end) => lastUpTo(places, begin - 1) !== lastUpTo(places, end),
    sourceOf: (at) => {
      const piece = lastUpTo(places, at);
      return sourceOf((sources[piece] ?? 0) + at - (places[piece] ?? 0));
    },
  };
}

/** The index of the last of these ascending numbers that is at most `most`. */
export function lastUpTo(numbers: readonly number[], most: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= most) low = middle;
    else high = middle - 1;
  }
  return low;
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
