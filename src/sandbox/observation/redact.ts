import type { Identity } from "../state/company-record.js";
import { unescaped } from "../../kernel/messages/unescape.js";
import { TextIndex, standsAlone } from "./text-index.js";

export const REDACTED = "[redacted]";

export type Redactor = Pick<SecretRedactor, "text" | "value" | "headers">;

/** A credential that only the client and the service may know. */
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
/** Values nested much deeper cannot be written as JSON. No body of the API is nested as deep. */
const DEPTH_MAX = 200;
const TOO_DEEP = `[deeper than ${DEPTH_MAX} levels]`;
/** The most secrets that stay known after no company has them any more. When there are more, the index of all secrets is built again in one step. */
const RETIRED_MAX = 500;
/** How many encodings inside one another are resolved, such as base64 in base64. */
const NESTING_MAX = 2;
/** A decoded text that is longer is searched as it is: its own escapes and encodings are not resolved. */
const NESTED_MAX = 50_000;
/** Separates the parts of a text that are searched one by one. */
const SEPARATORS = /((?:[\s"'/?&#,:;!|<>(){}[\]\\]|=(?=[\w%]))+)/;

/**
 * Redacts the secrets that it knows: as they are, escaped for a URL, JSON or HTML, also several times, and within base64 or hex. A secret stays known
 * after it was replaced, because a client may still use it. `current` lists the secrets in use, which are never forgotten: by default those given here first.
 */
export class SecretRedactor {
  readonly #current: () => Iterable<string>;
  readonly #before: Redactor | undefined;
  /** Oldest first. */
  #known = new Set<string>();
  #knownMax = 2 * RETIRED_MAX;
  #forms = new TextIndex();

  /** `before`: a redactor that is applied to each text first. */
  constructor(secrets: readonly string[] = [], current: () => Iterable<string> = () => secrets, before?: Redactor) {
    this.#current = current;
    this.#before = before;
    this.add(secrets);
  }

  /** Add a secret again when it is replaced: the newest replaced secrets are remembered longest. */
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

  /** Returns a deep copy with redacted texts, numbers and names of members. */
  readonly value = (value: unknown): unknown => this.#value(value, 0);

  /** Like `value`, and redacts the headers that carry credentials as a whole. */
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

  /** Redacts the parts of a text that hold an encoded secret, and the whole text if a secret extends over several parts. */
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

/** The forms of a secret that are searched for in texts. */
function formsOf(secret: string): readonly string[] {
  return isTooPlain(secret) ? [] : spellingsOf(secret).filter((spelling) => !isTooPlain(spelling));
}

/** How a secret is written as it is, or by the usual functions. */
function spellingsOf(secret: string): readonly string[] {
  const composed = [secret, secret.normalize("NFC"), secret.normalize("NFD")];
  // In headers, and in decoded base64 and hex, each byte appears as one character.
  const written = new Set(composed.flatMap((text) => [text, Buffer.from(text).toString("latin1")]));
  return [...written].flatMap((text) => {
    // This replaces lone surrogates, which `encodeURI` refuses.
    const wellFormed = Buffer.from(text).toString();
    const component = encodeURIComponent(wellFormed);
    const json = JSON.stringify(text).slice(1, -1);
    return [
      text,
      // In a query that is not decoded, "+" is a space.
      text.replaceAll("+", " "),
      text.replaceAll(" ", "+"),
      encodeURI(wellFormed),
      component,
      // Of .NET, and escaped twice. Escapes are resolved, too, but not in what is left of a secret that begins with another one.
      component.replaceAll(/%../g, (escape) => escape.toLowerCase()),
      encodeURIComponent(component),
      // Python's `quote` keeps slashes.
      component.replaceAll("%2F", "/"),
      json,
      // PHP escapes slashes.
      json.replaceAll("/", String.raw`\/`),
      // In a JSON pointer.
      text.replaceAll("~", "~0").replaceAll("/", "~1"),
      // A secret that itself contains an escape loses the escape where a text is decoded once more.
      ...(unescaped(text) ?? []),
    ];
  });
}

/** Decodes what may be base64 or hex in a text, each byte as one character. Shorter results than `bytes` are left out. */
function decodings(given: string, bytes: number): readonly string[] {
  if (given.length < bytes) return [];
  // Some encoders break lines.
  const text = given.replaceAll(/[\r\n]+/g, "");
  // base64 and base64url. In a query that was decoded, "+" is a space.
  const base64 = [...new Set([text, text.replaceAll(" ", "+")])]
    .map((each) => runsOf(each, String.raw`[\w+/-]`, Math.ceil((bytes * 4) / 3)))
    .filter((runs) => runs !== "");
  const hex = runsOf(text, String.raw`[\dA-Fa-f]`, bytes * 2);
  // A run may begin with characters that are not part of the encoded text, so each alignment is tried.
  return [
    ...base64.flatMap((runs) => [0, 1, 2, 3].map((skipped) => Buffer.from(runs.slice(skipped), "base64"))),
    ...(hex === "" ? [] : [0, 1].map((skipped) => Buffer.from(hex.slice(skipped), "hex"))),
  ].map((decoded) => decoded.toString("latin1"));
}

/**
 * All runs of at least `least` such characters, joined: the caller tries each alignment, so it finds the later runs too. The pattern matches only at the
 * start of a run, and is not written `{32,}`, which would overflow the stack of the engine for a run of some million characters.
 */
function runsOf(text: string, character: string, least: number): string {
  return text.match(new RegExp(`(?<!${character})${character}{${least}}${character}*`, "g"))?.join("") ?? "";
}

/** Redacts a path and its query: first as a whole, since a secret may contain separators, and then each part. The result begins with a slash, too. */
export function redactPath(path: string, { text }: Pick<Redactor, "text">): string {
  const shown = text(path).replaceAll(/[^/?&=#]+/g, (part) => text(part));
  return shown.startsWith("/") ? shown : `/${shown}`;
}

/** Whether a secret is one character, or a short word or number (`shop`, from `--auto-provision`), which any text may contain by chance. */
function isTooPlain(secret: string): boolean {
  return /^(?:[A-Za-z]{0,11}|\d{0,11}|.)$/su.test(secret);
}

interface Access {
  readonly tenancy: boolean;
  readonly adminToken: string | undefined;
}

/** The redactor for what one company or a stranger sees: `all`, or with tenancy a new one that knows only the admin token. */
export function ownRedactor({ tenancy, adminToken }: Access, all: SecretRedactor): SecretRedactor {
  const admin = [adminToken ?? []].flat();
  return tenancy ? new SecretRedactor(admin) : all;
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

/** Like `holdsSecret` for several texts. Their escapes are resolved only once, however many secrets there are. */
export function searchIn(texts: readonly string[]): (secret: Secret) => boolean {
  const text = texts.join("\n");
  const all = unescaped(text) ?? [text];
  return (secret) => all.some((text) => isAloneIn(text, secret.text));
}

function isAloneIn(text: string, secret: string): boolean {
  // Overlapping places are skipped: a text and a secret of one repeated letter would have thousands.
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
    if (standsAlone(text, at, at + secret.length)) return true;
  }
  return false;
}
