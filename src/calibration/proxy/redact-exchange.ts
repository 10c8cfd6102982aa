import {
  type HeaderList,
  type HttpExchange,
  type SignatureVerdict,
  headerOf,
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
    list.map(([name, value]) => {
      if (hidden.has(name.toLowerCase())) return [name, REDACTED];
      return [name, redactor.headers({ [name.toLowerCase()]: text(value) })[name.toLowerCase()] ?? REDACTED];
    });
  const body = (bytes: Uint8Array): Uint8Array => {
    const given = Buffer.from(bytes).toString();
    return Buffer.from(text(names.size === 0 ? given : hideFields(given, names, pseudonyms)));
  };
  return (exchange: HttpExchange, side: Side): HttpExchange => {
    const token = /^Bearer +(\S+)$/i.exec(headerOf(exchange.headers, "authorization") ?? "")?.[1];
    if (side === "service" && token !== undefined) redactor.add([token]);
    const { answer } = exchange;
    const { origin } = new URL(exchange.url);
    // The body first: the path may have a phone number that only the body shows to be one.
    const redactedBody = exchange.body && body(exchange.body);
    return {
      ...exchange,
      url: origin + redactPath(pseudonyms.replaceIn(exchange.url.slice(origin.length)), redactor),
      headers: headers(exchange.headers),
      body: redactedBody,
      answer: answer && { ...answer, headers: headers(answer.headers), body: body(answer.body) },
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

/** Text that is not JSON has no fields. */
function hideFields(text: string, names: ReadonlySet<string>, pseudonyms: Pseudonyms): string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return text;
  }
  const hide = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(hide);
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([name, member]): [string, unknown] => {
      if (!names.has(name.toLowerCase()) || member === null) return [name, hide(member)];
      return [name, name.toLowerCase() === "msisdn" && typeof member === "string" ? pseudonyms.of(member) : REDACTED];
    });
    return Object.fromEntries(members);
  };
  return JSON.stringify(hide(json));
}
