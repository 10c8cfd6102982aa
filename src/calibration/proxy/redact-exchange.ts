import {
  type HeaderList,
  type HttpExchange,
  type SignatureVerdict,
  headerOf,
  parseBody,
} from "../../adapters/har/http-exchange.js";
import { signBody } from "../../domain/deliveries/sign-delivery.js";
import { isObject } from "../../kernel/messages/json.js";
import { REDACTED, SecretRedactor, redactPath } from "../../sandbox/observation/redact.js";
import type { Side } from "./side.js";

export interface RedactOptions {
  /** Verifies signatures; undefined: they are not verified. */
  readonly secretKey: string | undefined;
  readonly signatureHeader: string;
  /** Names of members of bodies, and of headers. `msisdn` is replaced by a pseudonym, any other by `[redacted]`. */
  readonly fields: readonly string[];
}

/**
 * Removes what nobody else may know: access tokens (each is learnt from its `Authorization`), the secret key, cookies, signatures, and the named fields. A
 * signature is verified first, and the verdict is kept.
 */
export function createExchangeRedactor({ secretKey, signatureHeader, fields }: RedactOptions) {
  const redactor = new SecretRedactor(secretKey === undefined ? [] : [secretKey]);
  const pseudonyms = new Pseudonyms();
  const names = new Set(fields.map((name) => name.toLowerCase()));
  const hidden = new Set([...names, signatureHeader.toLowerCase(), "set-cookie"]);
  const text = (given: string): string => redactor.text(pseudonyms.replaceIn(given));
  const headers = (list: HeaderList): HeaderList =>
    list.map(([given, value]) => {
      const name = redactor.text(given);
      if (hidden.has(name.toLowerCase())) return [name, REDACTED];
      return [name, redactor.headers({ [name.toLowerCase()]: text(value) })[name.toLowerCase()] ?? REDACTED];
    });
  const hide = (name: string, value: unknown): unknown =>
    name.toLowerCase() === "msisdn" && typeof value === "string" ? pseudonyms.of(value) : REDACTED;
  const isNamed = (name: string): boolean => names.has(name.toLowerCase());
  const body = (bytes: Uint8Array): Uint8Array => {
    const given = Buffer.from(bytes).toString();
    return Buffer.from(text(names.size === 0 ? given : hideMembers(given, isNamed, hide)));
  };
  const path = (given: string): string =>
    redactPath(pseudonyms.replaceIn(hideParameters(given, isNamed, hide)), redactor);
  return (exchange: HttpExchange, side: Side): HttpExchange => {
    const token = /^Bearer +(\S+)$/i.exec(headerOf(exchange.headers, "authorization") ?? "")?.[1];
    if (side === "service" && token !== undefined) redactor.add([token]);
    const { answer } = exchange;
    const { origin } = new URL(exchange.url);
    // The bodies first: the path may have a phone number that only they show to be one.
    const redactedBody = exchange.body && body(exchange.body);
    const redactedAnswer = answer && { ...answer, headers: headers(answer.headers), body: body(answer.body) };
    return {
      ...exchange,
      url: origin + path(exchange.url.slice(origin.length)),
      headers: headers(exchange.headers),
      body: redactedBody,
      answer: redactedAnswer,
      signature: side === "receiver" ? verdictOf(exchange, secretKey, signatureHeader) : undefined,
    };
  };
}

function verdictOf(
  { headers, body = new Uint8Array() }: HttpExchange,
  secretKey: string | undefined,
  header: string,
): SignatureVerdict {
  const given = headerOf(headers, header);
  if (given === undefined) return "missing";
  if (secretKey === undefined) return "unverified";
  return given === signBody(body, secretKey) ? "valid" : "invalid";
}

/**
 * Stand-ins for phone numbers: each number has one for the whole recording, which is a valid number too. The service's test numbers stay, since what happens
 * depends on them.
 */
class Pseudonyms {
  /** By the digits without `+` or `00`. */
  readonly #known = new Map<string, string>();

  of(number: string): string {
    const [, prefix = "", digits = ""] = /^(\+|00|)(\d+)$/.exec(number.trim()) ?? [];
    if (digits === "") return REDACTED;
    if (digits.startsWith("225070000000")) return number;
    const known = this.#known.get(digits) ?? `22599${String(this.#known.size + 1).padStart(8, "0")}`;
    this.#known.set(digits, known);
    return prefix + known;
  }

  replaceIn(text: string): string {
    return text.replaceAll(/\d{8,15}/g, (digits) => this.#known.get(digits) ?? digits);
  }
}

type IsNamed = (name: string) => boolean;
type Hide = (name: string, value: unknown) => unknown;

/** Text that is not JSON has no members. One that is nested too deep to look for them is hidden whole. */
function hideMembers(text: string, isNamed: IsNamed, hide: Hide): string {
  const hideIn = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(hideIn);
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([name, member]): [string, unknown] => [
      name,
      isNamed(name) && member !== null ? hide(name, member) : hideIn(member),
    ]);
    return Object.fromEntries(members);
  };
  const json = parseBody(text);
  if (json !== undefined && json !== text) return JSON.stringify(hideIn(json));
  return /^\s*[[{]/.test(text) ? REDACTED : text;
}

/** In the query of a path. */
function hideParameters(path: string, isNamed: IsNamed, hide: Hide): string {
  const [, before = path, query = ""] = /^([^?]*\?)(.*)$/s.exec(path) ?? [];
  const parts = query.split("&").map((part) => {
    const [[name, value] = ["", ""]] = new URLSearchParams(part);
    return isNamed(name) ? new URLSearchParams({ [name]: String(hide(name, value)) }).toString() : part;
  });
  return before + parts.join("&");
}
