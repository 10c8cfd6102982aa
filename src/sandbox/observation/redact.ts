import type { Identity } from "../state/company-record.js";
import { type Layer, lastUpTo, layersOf } from "../../kernel/messages/unescape.js";

export const REDACTED = "[redacted]";

export type Redactor = Pick<SecretRedactor, "text" | "value" | "headers">;

/** What only the client and the service may know. */
export interface Secret {
  readonly name: "secret key" | "access token";
  readonly text: string;
}

/** The values of these headers are never shown, known or not. */
const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set(["authorization", "proxy-authorization", "cookie"]);
/** A value nested deeper than this cannot be written as JSON; no body of the API is. */
const DEPTH_MAX = 200;
const TOO_DEEP = `[deeper than ${DEPTH_MAX} levels]`;
/** Secrets that are remembered after no company has them. */
const RETIRED_MAX = 10_000;
/** A secret of this length or more is redacted inside of words too. */
const LONG = 8;
/** Shorter secrets appear in base64 and hex by chance. */
const ENCODED_MIN = 5;
/** base64 in base64. */
const NESTING_MAX = 2;
/** Of what was in base64 or hex: in more of it only the bytes themselves are looked at. */
const NESTED_CHARACTERS_MAX = 50_000;
/** More of one text that is in base64 and holds a secret is redacted up to the next space, slashes and all. */
const NARROWED_MAX = 1000;

/**
 * Redacts the secrets that it knows, as they are, escaped for a URL, JSON or HTML, some times over, and as a part of base64 or hex. A secret stays known
 * after it was replaced: a client may still use it. `current` lists the secrets in use, which are never forgotten.
 */
export class SecretRedactor {
  readonly #current: () => Iterable<string>;
  readonly #before: Redactor | undefined;
  /** Oldest first. */
  #known = new Set<string>();
  #knownMax = 2 * RETIRED_MAX;
  #forms = new TextIndex();
  /** The length of the shortest that is looked for in base64 and hex, and the runs that it takes. */
  #shortest = Infinity;
  #base64 = /(?!)/g;
  #hex = /(?!)/g;

  /** `before`: has redacted a text already. */
  constructor(secrets: Iterable<string> = [], current: () => Iterable<string> = () => [], before?: Redactor) {
    this.#current = current;
    this.#before = before;
    this.add(secrets);
  }

  /** Call it again when a secret is replaced: it is then among the newest. */
  add(secrets: Iterable<string>): void {
    for (const secret of secrets) this.#learn(secret);
    if (this.#known.size <= this.#knownMax) return;
    const kept = [...this.#current(), ...[...this.#known].slice(-RETIRED_MAX)];
    this.#known = new Set();
    this.#forms = new TextIndex();
    for (const secret of kept) this.#learn(secret);
    this.#knownMax = this.#known.size + RETIRED_MAX;
  }

  readonly text = (text: string): string => {
    const given = this.#before?.text(text) ?? text;
    if (this.#known.size === 0 || given === REDACTED) return given;
    const layers = layersOf(given);
    if (layers === undefined) return REDACTED;
    let shown = "";
    let shownTo = 0;
    for (const { from, to } of this.#find(layers, 0).sort((a, b) => a.from - b.from || b.to - a.to)) {
      if (to <= shownTo) continue;
      // What overlaps the one before belongs to it.
      if (from >= shownTo) shown += given.slice(shownTo, from) + REDACTED;
      shownTo = to;
    }
    return shownTo === 0 ? given : shown + given.slice(shownTo);
  };

  /** A deep copy; the names of members are redacted too. */
  readonly value = (value: unknown): unknown => this.#value(value, 0);

  /** As `value`, and without the headers that carry credentials. */
  readonly headers = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        this.text(name),
        CREDENTIAL_HEADERS.has(name) ? REDACTED : this.text(value),
      ]),
    );

  #learn(secret: string): void {
    if (secret === "") return;
    const isKnown = this.#known.delete(secret);
    this.#known.add(secret);
    if (isKnown) return;
    this.#forms.add(secret);
    if (isTooPlain(secret)) return;
    const composed = [secret, secret.normalize("NFC"), secret.normalize("NFD")];
    // In a query that is not decoded, "+" is a space.
    const spellings = composed.flatMap((text) => [text, text.replaceAll("+", " "), text.replaceAll(" ", "+")]);
    // As it is found in headers, and in decoded base64 and hex.
    spellings.push(...composed.map((text) => Buffer.from(text).toString("latin1")));
    // One that looks like an escape itself loses it where a text is decoded further.
    for (const spelling of spellings.flatMap((each) => textsIn(each)))
      if (!isTooPlain(spelling)) {
        this.#forms.add(spelling);
        if (spelling.length >= ENCODED_MIN && spelling.length < this.#shortest) this.#lookForEncoded(spelling.length);
      }
  }

  #lookForEncoded(shortest: number): void {
    this.#shortest = shortest;
    // base64 and base64url.
    this.#base64 = new RegExp(String.raw`[\w+/-]{${Math.ceil((shortest * 4) / 3)},}={0,2}`, "g");
    this.#hex = new RegExp(String.raw`[\dA-Fa-f]{${shortest * 2},}`, "g");
  }

  /** Where the secrets are. `nesting`: how many times the text was in base64 or hex. */
  #find(layers: readonly Layer[], nesting: number): Range[] {
    return layers.flatMap((layer) => {
      const found = [...this.#findPlain(layer.text, nesting), ...this.#findEncoded(layer, nesting)];
      return found.map(({ from, to }) => ({ from: layer.sourceOf(from), to: layer.sourceOf(to) }));
    });
  }

  #findPlain(text: string, nesting: number): Range[] {
    const found: Range[] = [];
    const isSecret = (from: number, to: number): boolean =>
      nesting === 0 ? isSecretAt(text, from, to) : to - from >= ENCODED_MIN && !isTooPlain(text.slice(from, to));
    for (let at = 0; at < text.length; at++) {
      const length = this.#forms.lengthAt(text, at, isSecret);
      if (length === 0) continue;
      found.push({ from: at, to: at + length });
      at += length - 1;
    }
    return found;
  }

  #findEncoded({ text, isResolved }: Layer, nesting: number): Range[] {
    if (nesting === NESTING_MAX || text.length < this.#shortest) return [];
    // What no escape changed was looked at in the layer before.
    const runs = (run: RegExp): Range[] => runsOf(text, run).filter(({ from, to }) => isResolved(from, to));
    const base64 = this.#holding(text, runs(this.#base64), "base64", nesting);
    const isBase64 = (run: string): boolean =>
      this.#holding(run, [{ from: 0, to: run.length }], "base64", nesting).length > 0;
    const narrowed = base64.slice(0, NARROWED_MAX).flatMap((range) => {
      const parts = narrowest(text.slice(range.from, range.to), isBase64);
      return parts.map(({ from, to }) => ({ from: range.from + from, to: range.from + to }));
    });
    const hex = this.#holding(text, runs(this.#hex), "hex", nesting);
    return [...hex, ...narrowed, ...base64.slice(NARROWED_MAX)];
  }

  /**
   * The runs of encoded bytes that hold a secret. A run may begin with characters that are not part of them. All runs are decoded at once, with zeros between
   * them: there may be a hundred thousand.
   */
  #holding(text: string, runs: readonly Range[], encoding: "base64" | "hex", nesting: number): Range[] {
    if (runs.length === 0) return [];
    const { characters, bytes, zero } = ENCODINGS[encoding];
    const holding = new Set<Range>();
    const places: number[] = [];
    let length = 0;
    const units = runs.map(({ from, to }) => {
      const run = text.slice(from, text.endsWith("=", to) ? text.indexOf("=", from) : to);
      const padded = run.padEnd((Math.ceil(run.length / characters) + 2) * characters, zero);
      places.push(length);
      length += padded.length;
      return padded;
    });
    const all = units.join("");
    for (let skipped = 0; skipped < characters; skipped++) {
      const decoded = Buffer.from(all.slice(skipped), encoding).toString("latin1");
      const isLong = decoded.length > NESTED_CHARACTERS_MAX;
      const layers = isLong ? undefined : layersOf(decoded);
      const found = layers === undefined ? this.#findPlain(decoded, nesting + 1) : this.#find(layers, nesting + 1);
      for (const { from } of found) {
        const run = runs[lastUpTo(places, skipped + Math.floor(from / bytes) * characters)];
        if (run !== undefined) holding.add(run);
      }
    }
    return runs.filter((run) => holding.has(run));
  }

  #value(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.text(value);
    if (typeof value === "number") return this.text(String(value)) === REDACTED ? REDACTED : value;
    if (typeof value !== "object" || value === null) return value;
    if (depth === DEPTH_MAX) return TOO_DEEP;
    if (Array.isArray(value)) return value.map((element: unknown) => this.#value(element, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [this.text(name), this.#value(member, depth + 1)]),
    );
  }
}

/** So many characters are so many bytes. */
const ENCODINGS = {
  base64: { characters: 4, bytes: 3, zero: "A" },
  hex: { characters: 2, bytes: 1, zero: "0" },
} as const;

interface Range {
  readonly from: number;
  readonly to: number;
}

function runsOf(text: string, run: RegExp): Range[] {
  return [...text.matchAll(run)].map((match) => ({ from: match.index, to: match.index + match[0].length }));
}

/** Beyond this number of segments all of them count. */
const SEGMENTS_MAX = 50;

/** The segments of a path that hold something: a slash is most likely a separator, but it is a character of base64 too. */
function narrowest(path: string, holds: (text: string) => boolean): Range[] {
  const segments = runsOf(path, /[^/]+/g);
  const found: Range[] = [];
  let first = 0;
  for (const [last, { to }] of segments.entries()) {
    const isIn = (from: number): boolean => holds(path.slice(segments[from]?.from, to));
    if (segments.length > SEGMENTS_MAX || !isIn(first)) continue;
    while (first < last && isIn(first + 1)) first++;
    found.push({ from: segments[first]?.from ?? 0, to });
    first = last + 1;
  }
  return found.length === 0 ? [{ from: 0, to: path.length }] : found;
}

/** A path and its query: as a whole, since a secret may contain what separates parts, and then each part. */
export function redactPath(path: string, { text }: Pick<Redactor, "text">): string {
  return text(path).replaceAll(/[^/?&=#]+/g, (part) => text(part));
}

/** Finds the longest of many texts at a position. Its time does not depend on how many there are: there may be thousands of companies. */
class TextIndex {
  readonly #texts = new Set<string>();
  /** The lengths of the texts that begin with the same two characters, longest first. */
  readonly #lengths = new Map<number, number[]>();
  /** Which heads there are, by their last bits: most places of a text are passed by this alone. */
  readonly #heads = new Uint8Array(HEADS);

  add(text: string): void {
    this.#texts.add(text);
    this.#heads[headOf(text, 0) % HEADS] = 1;
    const lengths = new Set([...(this.#lengths.get(headOf(text, 0)) ?? []), text.length]);
    this.#lengths.set(
      headOf(text, 0),
      [...lengths].toSorted((a, b) => b - a),
    );
  }

  /** 0 when none of them is there. */
  lengthAt(text: string, at: number, accepts: (from: number, to: number) => boolean): number {
    const head = headOf(text, at);
    const lengths = this.#heads[head % HEADS] === 1 ? this.#lengths.get(head) : undefined;
    if (lengths === undefined) return 0;
    const isHere = (length: number): boolean =>
      at + length <= text.length && this.#texts.has(text.slice(at, at + length));
    return lengths.find((length) => isHere(length) && accepts(at, at + length)) ?? 0;
  }
}

const HEADS = 2 ** 17;

function headOf(text: string, at: number): number {
  // Of characters in ASCII each pair is below HEADS.
  return text.charCodeAt(at) * 1021 + (text.charCodeAt(at + 1) || 0);
}

/** A short word or number (`shop`, from `--auto-provision`) may be in any text by chance. One character, too. */
function isTooPlain(secret: string): boolean {
  return /^(?:[A-Za-z]{0,11}|\d{0,11}|.)$/su.test(secret);
}

export function secretTexts({ secretKey, tokens }: Identity): readonly string[] {
  return [secretKey, ...tokens.map(({ token }) => token)];
}

/** The secrets of a company that can be recognised in a text. */
export function secretsOf({ secretKey, tokens }: Identity): readonly Secret[] {
  const secrets: Secret[] = [
    { name: "secret key", text: secretKey },
    ...tokens.map(({ token }) => ({ name: "access token" as const, text: token })),
  ];
  return secrets.filter(({ text }) => !isTooPlain(text));
}

/** Whether the secret is in a text, as it is or escaped. */
export function holdsSecret(text: string, secret: Secret): boolean {
  return searchIn([text])(secret);
}

/** As `holdsSecret` for several texts: their escapes are resolved once, however many secrets there are. */
export function searchIn(texts: readonly string[]): (secret: Secret) => boolean {
  const all = texts.flatMap(textsIn);
  return (secret) => all.some((text) => isAloneIn(text, secret.text));
}

function textsIn(text: string): readonly string[] {
  return layersOf(text)?.map((layer) => layer.text) ?? [text];
}

function isAloneIn(text: string, secret: string): boolean {
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1)) {
    if (standsAlone(text, at, at + secret.length)) return true;
  }
  return false;
}

/** A plain secret only as the whole text, a short one only as a whole word. */
function isSecretAt(text: string, from: number, to: number): boolean {
  if (isTooPlain(text.slice(from, to))) return to - from === text.length;
  return to - from >= LONG || standsAlone(text, from, to);
}

/** Not as a part of a longer word: `at_1` is not in `flat_12`. */
function standsAlone(text: string, from: number, to: number): boolean {
  return !/[\w-]/.test(text[from - 1] ?? "") && !/[\w-]/.test(text[to] ?? "");
}
