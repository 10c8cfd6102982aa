import type { Identity } from "../state/company-record.js";
import { createEncodedRedactor } from "./encoded-secrets.js";
import { decode, isTooPlain } from "./secrets.js";

export const REDACTED = "[redacted]";

/** Takes out what only the client and the service may know, before anything is shown. */
export interface Redactor {
  readonly text: (text: string) => string;
  /** Deep, in the names of members too. A copy. */
  readonly value: (value: unknown) => unknown;
  /** As `value`, without what says who asks. */
  readonly headers: (headers: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
}

/** Of these headers nothing is shown, whether or not what they say is known here. */
const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set(["authorization", "proxy-authorization", "cookie"]);

/** Deeper than any body of the API; what is nested so deep that no JSON can be made of it does not get there. */
const DEPTH_MAX = 200;
const TOO_DEEP = `[deeper than ${DEPTH_MAX} levels]`;

/** Whose secrets are to be taken out. */
export interface Guarded {
  readonly companies: readonly { readonly record: { readonly identity: Identity } }[];
  readonly options: { readonly adminToken: string | undefined };
  readonly retired: RetiredSecrets;
}

/** For one answer: the secret keys and access tokens of every company, also those that were replaced, and the admin token. */
export function redactorOf({ companies, options: { adminToken }, retired }: Guarded): Redactor {
  const current = companies.flatMap(({ record }) => textsOf(record.identity));
  return createRedactor([...current, ...retired.texts, ...(adminToken === undefined ? [] : [adminToken])]);
}

/** Wherever a secret of these stands, also encoded for a URL, as base64, or as hex. */
export function createRedactor(given: Iterable<string>): Redactor {
  const secrets = new Set(given);
  const pattern = patternOf(secrets);
  const redactEncoded = createEncodedRedactor(
    [...secrets].filter((secret) => !isTooPlain(secret)),
    REDACTED,
  );
  const text = (said: string): string => {
    if (pattern === undefined) return said;
    const shown = redactEncoded(said.replaceAll(pattern, REDACTED));
    if (!shown.includes("%")) return shown;
    const decoded = decode(shown);
    const redacted = redactEncoded(decoded.replaceAll(pattern, REDACTED));
    return redacted === decoded ? shown : redacted;
  };
  const value = (said: unknown, depth = 0): unknown => {
    if (typeof said === "string") return text(said);
    if (typeof said === "number") return text(String(said)) === REDACTED ? REDACTED : said;
    if (typeof said !== "object" || said === null) return said;
    if (depth === DEPTH_MAX) return TOO_DEEP;
    if (Array.isArray(said)) return said.map((element: unknown) => value(element, depth + 1));
    return Object.fromEntries(Object.entries(said).map(([name, member]) => [text(name), value(member, depth + 1)]));
  };
  const headers: Redactor["headers"] = (all) =>
    Object.fromEntries(
      Object.entries(all).map(([name, said]) => [text(name), CREDENTIAL_HEADERS.has(name) ? REDACTED : text(said)]),
    );
  return { text, value: (said) => value(said), headers };
}

/** What the one and then the other leaves. */
export function chain(first: Redactor, second: Redactor): Redactor {
  return {
    text: (text) => second.text(first.text(text)),
    value: (value) => second.value(first.value(value)),
    headers: (headers) => second.headers(first.headers(headers)),
  };
}

/** A client that still uses what was replaced must not have it shown either. */
export class RetiredSecrets {
  readonly #texts = new Set<string>();
  #count = 0;

  /** How often something was added: another number when there may be other texts. */
  get count(): number {
    return this.#count;
  }

  add(identity: Identity): void {
    this.#count++;
    for (const text of textsOf(identity)) {
      this.#texts.delete(text);
      this.#texts.add(text);
    }
    for (const oldest of this.#texts) {
      if (this.#texts.size <= RETIRED_MAX) break;
      this.#texts.delete(oldest);
    }
  }

  get texts(): Iterable<string> {
    return this.#texts;
  }
}

const RETIRED_MAX = 10_000;

export function textsOf({ secretKey, tokens }: Identity): readonly string[] {
  return [secretKey, ...tokens.map(({ token }) => token)];
}

/** From this length on, no word happens to have a secret in it. */
const LONG = 8;

/** One expression for all of them: there may be thousands, of companies that were opened by their tokens. */
function patternOf(secrets: ReadonlySet<string>): RegExp | undefined {
  const forms = [...secrets].flatMap(formsOf);
  // Of two that begin alike, the longer is the one that stands there.
  const parts = forms.filter((form) => form !== "").toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return parts.length === 0 ? undefined : new RegExp(parts.map(partOf).join("|"), "g");
}

/** As it is, quoted in a message, in a URL, and as a query that was not encoded is read. */
function formsOf(secret: string): readonly string[] {
  const encoded = encodeURIComponent(Buffer.from(secret).toString("utf8"));
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encoded, secret.replaceAll("+", " ")])];
}

/** A plain word is redacted where nothing else stands, a short text where it stands alone, any other everywhere. */
function partOf(secret: string): string {
  const literal = secret.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
  if (isTooPlain(secret)) return `^${literal}$`;
  return secret.length < LONG ? String.raw`(?<![\w-])${literal}(?![\w-])` : literal;
}
