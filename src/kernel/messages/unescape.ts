/** A text in which escapes are resolved. */
interface Layer {
  readonly text: string;
  /** Where in the given text the character at this position begins. */
  readonly sourceOf: (at: number) => number;
}

/** A text may be escaped some times over: as a text in a JSON text in a URL. */
const LAYERS_MAX = 5;

const URL_ESCAPES = [
  // A character of UTF-8, then a byte that is none.
  "%[0-7][0-9a-f]|%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}",
  "%[89a-f][0-9a-f]",
  "%u[0-9a-f]{4}",
];
const URL_ESCAPE = new RegExp(URL_ESCAPES.join("|"), "gi");
const ESCAPE = new RegExp(
  [
    ...URL_ESCAPES,
    String.raw`\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\["\\/bfnrt]`,
    String.raw`&(?:amp|lt|gt|quot|apos);|&#\d{1,7};|&#x[0-9a-f]{1,6};`,
  ].join("|"),
  "gi",
);

/** The text, and what it is when escapes for URLs, JSON and HTML are resolved once, twice and so on. */
export function layersOf(given: string): readonly Layer[] {
  const first: Layer = { text: given, sourceOf: (at) => at };
  // A backslash before a slash may be an escape, or the end of a part of a path.
  return [first, ...resolveAll(first, ESCAPE), ...resolveAll(first, URL_ESCAPE)];
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
  const starts: number[] = [];
  let from = 0;
  for (const match of text.matchAll(escape)) {
    const [found] = match;
    for (let at = from; at < match.index; at++) starts.push(sourceOf(at));
    const character = resolve(found);
    pieces.push(text.slice(from, match.index), character);
    for (let unit = 0; unit < character.length; unit++) starts.push(sourceOf(match.index));
    from = match.index + found.length;
  }
  if (from === 0) return undefined;
  for (let at = from; at <= text.length; at++) starts.push(sourceOf(at));
  pieces.push(text.slice(from));
  return { text: pieces.join(""), sourceOf: (at) => starts[at] ?? 0 };
}

function resolve(escape: string): string {
  const [, hex] = /^(?:%u|\\u|\\x|&#x)([0-9a-f]+);?$/i.exec(escape) ?? [];
  if (hex !== undefined) return character(Number.parseInt(hex, 16), escape);
  if (escape.startsWith("%")) return decodeBytes(escape);
  if (escape.startsWith("&#")) return character(Number.parseInt(escape.slice(2), 10), escape);
  return named[escape.toLowerCase()] ?? escape.slice(1);
}

function character(code: number, escape: string): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : escape;
}

function decodeBytes(escape: string): string {
  const bytes = Buffer.from(escape.replaceAll("%", ""), "hex");
  return bytes.length === 1 ? bytes.toString("latin1") : bytes.toString("utf8");
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
