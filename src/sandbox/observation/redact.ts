import type { Identity } from "../state/company-record.js";
import { layersOf } from "../../kernel/messages/unescape.js";

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
/** In longer ones only the bytes themselves are looked at. */
const NESTED_CHARACTERS_MAX = 4096;
/** base64 and base64url. */
const BASE64_RUN = /[\w+/-]{7,}={0,2}/g;
const HEX_RUN = /[\dA-Fa-f]{10,}/g;

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
    if (this.#known.size === 0) return given;
    let shown = "";
    let shownTo = 0;
    for (const { from, to } of this.#find(given, 0).sort((a, b) => a.from - b.from || b.to - a.to)) {
      if (to <= shownTo) continue;
      // What overlaps the one before belongs to it.
      if (from >= shownTo) shown += given.slice(shownTo, from) + REDACTED;
      shownTo = to;
    }
    return shown + given.slice(shownTo);
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
    const utf8 = Buffer.from(secret);
    // In a query that is not decoded, "+" is a space.
    const spellings = [secret, secret.replaceAll("+", " "), secret.replaceAll(" ", "+")];
    // As it is found in headers, and in decoded base64 and hex.
    spellings.push(utf8.toString("latin1"));
    // One that looks like an escape itself loses it where a text is decoded further.
    for (const spelling of spellings.flatMap((each) => layersOf(each).map((layer) => layer.text)))
      if (!isTooPlain(spelling)) this.#forms.add(spelling);
  }

  /** Where the secrets are. `nesting`: how many times the text was in base64 or hex. */
  #find(given: string, nesting: number): Range[] {
    if (nesting > 0 && given.length > NESTED_CHARACTERS_MAX) return this.#findPlain(given, nesting);
    return layersOf(given).flatMap((layer) => {
      const found = [...this.#findPlain(layer.text, nesting), ...this.#findEncoded(layer.text, nesting)];
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

  #findEncoded(text: string, nesting: number): Range[] {
    if (nesting === NESTING_MAX) return [];
    const isHex = (run: string): boolean => this.#isIn(run, "hex", 2, nesting);
    const isBase64 = (run: string): boolean => this.#isIn(run, "base64", 4, nesting);
    const hex = runsOf(text, HEX_RUN).filter((range) => isHex(text.slice(range.from, range.to)));
    const base64 = runsOf(text, BASE64_RUN).flatMap((range) => {
      const run = text.slice(range.from, range.to);
      if (!isBase64(run)) return [];
      return narrowest(run, isBase64).map(({ from, to }) => ({ from: range.from + from, to: range.from + to }));
    });
    return [...hex, ...base64];
  }

  /** Whether a secret is in the encoded bytes. The run may begin with characters that are not part of them. */
  #isIn(run: string, encoding: "base64" | "hex", characters: number, nesting: number): boolean {
    for (let from = 0; from < characters; from++) {
      const bytes = Buffer.from(run.slice(from), encoding).toString("latin1");
      if (this.#find(bytes, nesting + 1).length > 0) return true;
    }
    return false;
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

  add(text: string): void {
    this.#texts.add(text);
    const lengths = new Set([...(this.#lengths.get(headOf(text, 0)) ?? []), text.length]);
    this.#lengths.set(
      headOf(text, 0),
      [...lengths].toSorted((a, b) => b - a),
    );
  }

  /** 0 when none of them is there. */
  lengthAt(text: string, at: number, accepts: (from: number, to: number) => boolean): number {
    const lengths = this.#lengths.get(headOf(text, at));
    if (lengths === undefined) return 0;
    const isHere = (length: number): boolean =>
      at + length <= text.length && this.#texts.has(text.slice(at, at + length));
    return lengths.find((length) => isHere(length) && accepts(at, at + length)) ?? 0;
  }
}

function headOf(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) | text.charCodeAt(at + 1);
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
  const layers = texts.flatMap((text) => layersOf(text));
  return (secret) => layers.some(({ text }) => isAloneIn(text, secret.text));
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
