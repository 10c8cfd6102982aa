import {
  BODY_IS_CUT,
  type HeaderList,
  type HttpExchange,
  type SignatureVerdict,
  headerOf,
  DEPTH_BOUNDS,
  parseBody,
} from "../../adapters/har/http-exchange.js";
import { signBody } from "../../domain/deliveries/sign-delivery.js";
import { isObject } from "../../kernel/messages/json.js";
import { REDACTED, SecretRedactor, redactPath } from "../../sandbox/observation/redact.js";
import { CREDENTIAL_MIN, CREDENTIAL_WORD, credentialsOf, isCredentialName } from "../recording/credentials.js";
import { Pseudonyms } from "./pseudonyms.js";
import type { Side } from "./side.js";

export interface RedactOptions {
  /** Verifies signatures. Undefined means that they are not verified. */
  readonly secretKey: string | undefined;
  readonly signatureHeader: string;
  /** Names of members of bodies, of parameters and of headers. `msisdn` (`recipientMsisdn` too) is replaced by a pseudonym, any other by `[redacted]`. */
  readonly fields: readonly string[];
}

/**
 * Removes what nobody else may know: access tokens and other credentials (by the names of members, parameters and headers, and then wherever their values
 * occur), the secret key, signatures, and the named fields. A signature is verified first, and the verdict is kept.
 */
export function createExchangeRedactor({ secretKey, signatureHeader, fields }: RedactOptions) {
  const redactor = new SecretRedactor(secretKey === undefined ? [] : [secretKey]);
  const pseudonyms = new Pseudonyms();
  const names = new Set(fields.map((name) => name.toLowerCase()));
  const isNamed = (name: string): boolean =>
    names.has(name.toLowerCase()) || (names.has("msisdn") && isPhoneName(name)) || isCredentialName(name);
  /** Values of members, parameters and headers with the name of a credential. */
  const found = new Set<string>();
  const hidden = new Set([signatureHeader.toLowerCase(), "set-cookie"]);
  const text = (given: string): string => redactor.text(pseudonyms.replaceIn(given));
  const headers = (list: HeaderList): HeaderList =>
    list.map(([given, value]) => {
      const name = redactor.text(given);
      if (isNamed(name)) return [name, String(hide(name, value))];
      if (hidden.has(name.toLowerCase())) return [name, REDACTED];
      return [
        name,
        redactor.headers({ [name.toLowerCase()]: text(hider.text(value)) })[name.toLowerCase()] ?? REDACTED,
      ];
    });
  const hide = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((each) => hide(name, each));
    if (isCredentialName(name) && typeof value === "string" && value.length >= CREDENTIAL_MIN) found.add(value);
    if (!isPhoneName(name)) return REDACTED;
    if (typeof value === "string") return pseudonyms.of(value);
    return Number.isSafeInteger(value) && Number(value) > 0 ? Number(pseudonyms.of(String(value))) : REDACTED;
  };
  const hider = new Hider(isNamed, hide, names.size > 0);
  const body = (bytes: Uint8Array): Uint8Array => Buffer.from(text(hider.body(Buffer.from(bytes).toString())));
  const path = (given: string): string => {
    const shown = hider.text(given);
    return shown === REDACTED ? `/${REDACTED}` : redactPath(pseudonyms.replaceIn(shown), redactor);
  };
  const redact = (exchange: HttpExchange): HttpExchange => {
    const { answer } = exchange;
    const { origin } = new URL(exchange.url);
    return {
      ...exchange,
      url: origin + path(exchange.url.slice(origin.length)),
      headers: headers(exchange.headers),
      body: exchange.body && body(exchange.body),
      answer: answer && { ...answer, headers: headers(answer.headers), body: body(answer.body) },
    };
  };
  return (exchange: HttpExchange, side: Side): HttpExchange => {
    if (side === "service") redactor.add(credentialsOf(exchange));
    found.clear();
    const once = redact(exchange);
    redactor.add(found);
    // A second pass: any part may have a phone number or a credential that only another part shows to be one.
    const redacted = names.has("msisdn") || found.size > 0 ? redact(exchange) : once;
    const signature = side === "receiver" ? verdictOf(exchange, secretKey, signatureHeader) : undefined;
    return { ...redacted, signature };
  };
}

function isPhoneName(name: string): boolean {
  return /msisdn\W*$/i.test(name);
}

function verdictOf(
  { headers, body = new Uint8Array(), comment }: HttpExchange,
  secretKey: string | undefined,
  header: string,
): SignatureVerdict {
  const given = headerOf(headers, header);
  if (given === undefined) return "missing";
  if (secretKey === undefined) return "unverified";
  if (given === signBody(body, secretKey)) return "valid";
  return comment === BODY_IS_CUT ? "unverified" : "invalid";
}

type IsNamed = (name: string) => boolean;
type Hide = (name: string, value: unknown) => unknown;

/** How deep texts within texts are searched: JSON in a parameter of a URL in a member, for example. */
const NESTING_MAX = 3;
/** How many texts within a text may begin like JSON without being JSON, such as `[VIP] shoes`: finding that out takes long. */
const NO_JSON_MAX = 2_000;
const PARAMETER = /(?<![\w.~%+[\]-])([\w.~%+[\]-]{1,100})=([^&\s"'<>]*)/g;
/** A member of JSON with its text or number. The quotes may be escaped. */
const MEMBER = /(\\{0,3}["'])([\w .$-]{1,100})\1(\s{0,9}:\s{0,9})(?:\1((?:(?!\1)(?:\\.|[^\\]))*)|(-?\d[\d.]*))/gs;
/** A parameter with its value in quotes, as in `Digest` and in logs. */
const QUOTED_PARAMETER = /(?<![\w.~%+[\]-])([\w.~%+[\]-]{1,100})=(\\{0,3}["'])((?:(?!\2)(?:\\.|[^\\]))*)\2/gs;
/** The beginning of a parameter of a list such as `a=1;b=2`. */
const LISTED_PARAMETER = /(?:^|[;,])([\w.~%+[\]-]{1,100})=/g;
/** The user may be missing: `redis://:password@host`. */
const USER_INFO = /(?<=:\/\/)[^\s:/?#@"'<>]*:[^\s/?#@"'<>]+(?=@)/g;

/** Hides members of JSON and parameters of forms and URLs by their names, wherever in a text they are. A text without them is not changed. */
class Hider {
  readonly #isNamed: IsNamed;
  readonly #hide: Hide;
  /** Whether the user has named fields, which may have any name. */
  readonly #hasNames: boolean;
  /** How many texts within the current one began like JSON but were not JSON. */
  #noJson = 0;

  constructor(isNamed: IsNamed, hide: Hide, hasNames: boolean) {
    this.#isNamed = isNamed;
    this.#hide = hide;
    this.#hasNames = hasNames;
  }

  /** Like `text`, but JSON that is cut off, or nested too deep to look for members, is hidden as a whole if it may contain a hidden name. */
  body(text: string): string {
    const isUnread = /^\s*[[{]/.test(text) && parseBody(text, DEPTH_BOUNDS) === text;
    return isUnread && this.#mayName(text) ? REDACTED : this.text(text);
  }

  /** The text without hidden values. It is hidden as a whole when too many texts in it only begin like JSON. */
  text(text: string): string {
    this.#noJson = 0;
    const hidden = this.#textIn(text, 0);
    return this.#noJson > NO_JSON_MAX ? REDACTED : hidden;
  }

  #textIn(text: string, nesting: number): string {
    if (nesting > NESTING_MAX || this.#noJson > NO_JSON_MAX) return this.#listed(text);
    const mayBeJson = /^\s*[[{"]/.test(text);
    const json = mayBeJson ? parseBody(text, DEPTH_BOUNDS) : text;
    if (mayBeJson && json === text) this.#noJson++;
    if (json === text || json === undefined)
      return this.#members(this.#parameters(this.#quoted(text), nesting)).replaceAll(USER_INFO, REDACTED);
    const hidden = JSON.stringify(this.#value(json, nesting + 1));
    return hidden === JSON.stringify(json) ? text : hidden;
  }

  #value(value: unknown, nesting: number): unknown {
    if (typeof value === "string") return this.#textIn(value, nesting);
    if (Array.isArray(value)) return value.map((each) => this.#value(each, nesting));
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([name, member]): [string, unknown] => [
      name,
      this.#isNamed(name) && member !== null ? this.#hide(name, member) : this.#value(member, nesting),
    ]);
    return Object.fromEntries(members);
  }

  /** Hides members of JSON that is a part of a text. */
  #members(text: string): string {
    return text.replaceAll(
      MEMBER,
      (given: string, quotes: string, name: string, colon: string, value: string | undefined, number: string) =>
        this.#isNamed(name)
          ? quotes + name + quotes + colon + quotes + String(this.#hide(name, value ?? number)) + quotes
          : given,
    );
  }

  #parameters(text: string, nesting: number): string {
    return text.replaceAll(PARAMETER, (given: string, written: string, encoded: string) => {
      const [[name, value] = ["", ""]] = new URLSearchParams(given);
      if (this.#isNamed(name)) return new URLSearchParams({ [name]: String(this.#hide(name, value)) }).toString();
      if (!encoded.includes("%")) return `${written}=${this.#textIn(encoded, nesting + 1)}`;
      const hidden = this.#textIn(value, nesting + 1);
      return hidden === value ? given : `${written}=${encodeURIComponent(hidden)}`;
    });
  }

  #quoted(text: string): string {
    return text.replaceAll(QUOTED_PARAMETER, (given: string, name: string, quotes: string, value: string) =>
      this.#isNamed(name) ? `${name}=${quotes}${String(this.#hide(name, value))}${quotes}` : given,
    );
  }

  /** Hides all that follows the first hidden name of a list, which has no nested texts. */
  #listed(text: string): string {
    const named = [...text.matchAll(LISTED_PARAMETER)].find(([, name = ""]) => this.#isNamed(name));
    if (named === undefined) return text;
    const [begin, name = ""] = named;
    const at = named.index + begin.length;
    return text.slice(0, at) + String(this.#hide(name, text.slice(at)));
  }

  #mayName(text: string): boolean {
    return CREDENTIAL_WORD.test(text) || text.includes("\\u00") || this.#hasNames;
  }
}
