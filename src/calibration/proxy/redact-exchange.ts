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
import { CREDENTIAL_WORD, credentialsOf, isCredentialName } from "../replay/credentials.js";
import { Pseudonyms } from "./pseudonyms.js";
import type { Side } from "./side.js";

export interface RedactOptions {
  /** Verifies signatures; undefined: they are not verified. */
  readonly secretKey: string | undefined;
  readonly signatureHeader: string;
  /** Names of members of bodies, of parameters and of headers. `msisdn` (`recipientMsisdn` too) is replaced by a pseudonym, any other by `[redacted]`. */
  readonly fields: readonly string[];
}

/**
 * Removes what nobody else may know: access tokens and other credentials (by the names of members, parameters and headers, and each learnt from the request
 * that has it), the secret key, signatures, and the named fields. A signature is verified first, and the verdict is kept.
 */
export function createExchangeRedactor({ secretKey, signatureHeader, fields }: RedactOptions) {
  const redactor = new SecretRedactor(secretKey === undefined ? [] : [secretKey]);
  const pseudonyms = new Pseudonyms();
  const names = new Set(fields.map((name) => name.toLowerCase()));
  const isNamed = (name: string): boolean =>
    names.has(name.toLowerCase()) || (names.has("msisdn") && isPhoneName(name)) || isCredentialName(name);
  const hidden = new Set([signatureHeader.toLowerCase(), "set-cookie"]);
  const text = (given: string): string => redactor.text(pseudonyms.replaceIn(given));
  const headers = (list: HeaderList): HeaderList =>
    list.map(([given, value]) => {
      const name = redactor.text(given);
      if (isNamed(name)) return [name, String(hide(name, value))];
      if (hidden.has(name.toLowerCase())) return [name, REDACTED];
      return [name, redactor.headers({ [name.toLowerCase()]: text(value) })[name.toLowerCase()] ?? REDACTED];
    });
  const hide = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((each) => hide(name, each));
    if (!isPhoneName(name)) return REDACTED;
    if (typeof value === "string") return pseudonyms.of(value);
    return Number.isSafeInteger(value) && Number(value) > 0 ? Number(pseudonyms.of(String(value))) : REDACTED;
  };
  const body = (bytes: Uint8Array): Uint8Array => {
    const given = Buffer.from(bytes).toString();
    const isPlain = names.size === 0 && !CREDENTIAL_WORD.test(given);
    return Buffer.from(text(isPlain ? given : hideMembers(given, isNamed, hide)));
  };
  const path = (given: string): string =>
    redactPath(pseudonyms.replaceIn(hideParameters(given, isNamed, hide)), redactor);
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
    // Any part may have a phone number that only another part shows to be one.
    if (names.has("msisdn")) redact(exchange);
    const signature = side === "receiver" ? verdictOf(exchange, secretKey, signatureHeader) : undefined;
    return { ...redact(exchange), signature };
  };
}

function isPhoneName(name: string): boolean {
  return /msisdn\W*$/i.test(name);
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

type IsNamed = (name: string) => boolean;
type Hide = (name: string, value: unknown) => unknown;

/** Of JSON and of a form; other text has no members. One that is nested too deep to look for them is hidden whole. */
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
  if (/^\s*[[{]/.test(text)) return REDACTED;
  return /^[^\s=&]+=\S*$/.test(text) ? hideParameters(`?${text}`, isNamed, hide).slice(1) : text;
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
