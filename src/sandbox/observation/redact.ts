import type { Identity } from "../state/company-record.js";
import { unescaped } from "../../kernel/messages/unescape.js";
import { TextIndex, standsAlone } from "./text-index.js";

export const REDACTED = "[redacted]";

export type Redactor = Pick<SecretRedactor, "text" | "value" | "headers">;

/** What only the client and the service may know. */
export interface Secret {
  readonly name: "secret key" | "access token";
  readonly text: string;
}

/** The values of these headers are never shown, known or not. */
const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "x-api-key",
  "x-auth-token",
]);
/** A value nested deeper than this cannot be written as JSON; no body of the API is. */
const DEPTH_MAX = 200;
const TOO_DEEP = `[deeper than ${DEPTH_MAX} levels]`;
/** Secrets that are remembered after no company has them. Now and then all are learned anew, in one step. */
const RETIRED_MAX = 500;
/** base64 in base64. */
const NESTING_MAX = 2;
/** Of a longer text that was in base64 or hex only the bytes themselves are looked at. */
const NESTED_MAX = 50_000;
/** Between the parts of a text that are looked at one by one. */
const SEPARATORS = /((?:[\s"'/?&#,:;!|<>(){}[\]\\]|=(?=[\w%]))+)/;

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
    const kept = [...this.#current(), ...[...this.#known].slice(-RETIRED_MAX)].filter((secret) => secret !== "");
    this.#known = new Set(kept);
    this.#forms = new TextIndex([...this.#known].flatMap(formsOf));
    this.#knownMax = this.#known.size + RETIRED_MAX;
  }

  readonly text = (text: string): string => {
    const given = this.#before?.text(text) ?? text;
    if (this.#known.size === 0) return given;
    if (unescaped(given)?.some((each) => this.#known.has(each)) ?? true) return REDACTED;
    return this.#holds(given) ? this.#withoutEncoded(this.#forms.replaceIn(given, REDACTED)) : given;
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
    if (!isKnown) for (const form of formsOf(secret)) this.#forms.add(form);
  }

  /** Whether a secret is in a text, escaped or encoded. `nesting`: how many times the text was in base64 or hex. */
  #holds(text: string, nesting = 0): boolean {
    if (nesting > 0 && text.length > NESTED_MAX) return this.#forms.isIn(text, true);
    const texts = unescaped(text);
    return texts?.some((each) => this.#forms.isIn(each, nesting > 0) || this.#holdsEncoded(each, nesting)) ?? true;
  }

  #holdsEncoded(text: string, nesting: number): boolean {
    if (nesting === NESTING_MAX) return false;
    return decodings(text, this.#forms.shortest).some((decoded) => this.#holds(decoded, nesting + 1));
  }

  /** The text without the parts that hold an encoded secret; without all of it where a secret goes over several parts. */
  #withoutEncoded(text: string): string {
    if (!this.#holds(text)) return text;
    const shown = text.split(SEPARATORS).map((part) => (this.#holds(part) ? REDACTED : part));
    return this.#holds(shown.join("")) ? REDACTED : shown.join("");
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

/** What is looked for in texts. */
function formsOf(secret: string): readonly string[] {
  return isTooPlain(secret) ? [] : spellingsOf(secret).filter((spelling) => !isTooPlain(spelling));
}

/** How a secret is written as it is, or by the usual functions. */
function spellingsOf(secret: string): readonly string[] {
  const composed = [secret, secret.normalize("NFC"), secret.normalize("NFD")];
  // The bytes are found in headers, and in decoded base64 and hex.
  const written = new Set(composed.flatMap((text) => [text, Buffer.from(text).toString("latin1")]));
  return [...written].flatMap((text) => {
    // Halves of characters, which `encodeURI` refuses, are replaced.
    const wellFormed = Buffer.from(text).toString();
    return [
      text,
      // In a query that is not decoded, "+" is a space.
      text.replaceAll("+", " "),
      text.replaceAll(" ", "+"),
      encodeURI(wellFormed),
      encodeURIComponent(wellFormed),
      // Python's.
      encodeURIComponent(wellFormed).replaceAll("%2F", "/"),
      JSON.stringify(text).slice(1, -1),
      // One that looks like an escape itself loses it where a text is decoded further.
      ...(unescaped(text) ?? []),
    ];
  });
}

/** What is in the base64 and hex of a text, if it may have so many bytes. */
function decodings(given: string, bytes: number): readonly string[] {
  if (given.length < bytes) return [];
  // Some encoders break lines.
  const text = given.replaceAll(/[\r\n]+/g, "");
  // base64 and base64url.
  const base64 = runsOf(text, String.raw`[\w+/-]`, Math.ceil((bytes * 4) / 3));
  const hex = runsOf(text, String.raw`[\dA-Fa-f]`, bytes * 2);
  // A run may begin with characters that are not part of it.
  return [
    ...(base64 === "" ? [] : [0, 1, 2, 3].map((skipped) => Buffer.from(base64.slice(skipped), "base64"))),
    ...(hex === "" ? [] : [0, 1].map((skipped) => Buffer.from(hex.slice(skipped), "hex"))),
  ].map((decoded) => decoded.toString("latin1"));
}

/**
 * All of at least so many characters, in one: where the next begins, characters of it are skipped as at the start. The pattern begins only where a run
 * does, and `{32,}` would overflow the stack of the engine for a run of some million characters.
 */
function runsOf(text: string, character: string, least: number): string {
  return text.match(new RegExp(`(?<!${character})${character}{${least}}${character}*`, "g"))?.join("") ?? "";
}

/** A path and its query: as a whole, since a secret may contain what separates parts, and then each part. What is left is a path, too. */
export function redactPath(path: string, { text }: Pick<Redactor, "text">): string {
  const shown = text(path).replaceAll(/[^/?&=#]+/g, (part) => text(part));
  return shown.startsWith("/") ? shown : `/${shown}`;
}

/** A short word or number (`shop`, from `--auto-provision`) may be in any text by chance. One character, too. */
function isTooPlain(secret: string): boolean {
  return /^(?:[A-Za-z]{0,11}|\d{0,11}|.)$/su.test(secret);
}

interface Access {
  readonly tenancy: boolean;
  readonly adminToken: string | undefined;
}

/** For what one company or a stranger sees: the redactor of all, and with tenancy a new one, which knows the admin token alone. */
export function ownRedactor({ tenancy, adminToken }: Access, all: SecretRedactor): SecretRedactor {
  const admin = [adminToken ?? []].flat();
  return tenancy ? new SecretRedactor(admin, () => admin) : all;
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
  const text = texts.join("\n");
  const all = unescaped(text) ?? [text];
  return (secret) => all.some((text) => isAloneIn(text, secret.text));
}

function isAloneIn(text: string, secret: string): boolean {
  // Places that overlap are taken for one: a text and a secret of one repeated letter would have thousands.
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
    if (standsAlone(text, at, at + secret.length)) return true;
  }
  return false;
}
