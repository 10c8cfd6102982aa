import { type HttpExchange, headerOf } from "../../adapters/har/http-exchange.js";
import { type Json, isObject } from "../../kernel/messages/json.js";
import { REDACTED } from "../../sandbox/observation/redact.js";

/** Shorter values, such as words of a malformed `Authorization` and cookies, are not taken for credentials. */
export const CREDENTIAL_MIN = 8;

/** The credentials of a request, which a service may repeat in its answer, also those in a malformed `Authorization`; and the cookies that the answer sets. */
export function credentialsOf({ headers, url, answer }: HttpExchange): readonly string[] {
  const authorization = headerOf(headers, "authorization") ?? "";
  const [, bearer = ""] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  const words = authorization.split(/[\s"',=]+/);
  const basic = words.flatMap((word) => Buffer.from(word, "base64").toString().split(":"));
  const set = (answer?.headers ?? []).filter(([name]) => name.toLowerCase() === "set-cookie");
  const pairs = [
    ...(headerOf(headers, "cookie") ?? "").split(/;\s*/),
    ...set.map(([, value]) => value.replace(/;.*/, "")),
  ];
  const cookies = pairs.map((pair) => pair.replace(/^[^=]*=\s*/, "").replace(/^"(.*)"$/, "$1"));
  const keys = ["x-api-key", "x-auth-token"].map((name) => headerOf(headers, name) ?? "");
  const query = ["access_token", "token", "api_key"].map((name) => new URL(url).searchParams.get(name) ?? "");
  const others = [...words, ...(/^basic /i.test(authorization) ? basic : []), ...cookies, ...keys, ...query];
  return [bearer, ...others.filter(({ length }) => length >= CREDENTIAL_MIN)];
}

/** How the names of credentials end: those that a service issues, and those that it asks for. */
const CREDENTIAL_NAME = new RegExp(
  [
    "(?:access|refresh|id|auth|bearer|session|security|api|app|client|user|service|webhook|[cx]srf)token$",
    "(?:api|secret|private|access|subscription|auth|app|client|consumer|merchant|master|service|functions|signing|encryption)key$",
    "(?:secret|passw(?:or)?d(?:confirmation)?|pwd|passphrase|passcode|authorization|credentials?|signature|assertion|jwt)$",
    "^x?token$",
    "^(?:pin|otp)(?:code)?$",
  ].join("|"),
);
/** Every name of a credential contains one of these words. */
export const CREDENTIAL_WORD = /token|secret|key|pass|pwd|authorization|credential|signature|assertion|jwt|pin|otp/i;

/** `access_token`, `clientSecret`, `X-Api-Key`; not `Idempotency-Key`. */
export function isCredentialName(name: string): boolean {
  return CREDENTIAL_WORD.test(name) && CREDENTIAL_NAME.test(name.toLowerCase().replaceAll(/[^a-z]/g, ""));
}

/** The credentials in a value, by the names of its members. */
export function credentialsIn(value: unknown, isNamed = false): readonly string[] {
  if (typeof value === "string") return isNamed && value.length >= CREDENTIAL_MIN ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((each) => credentialsIn(each, isNamed));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => credentialsIn(member, isNamed || isCredentialName(name)));
}

/** The part of a body that is at `pointer`, without the credentials in it, by the names of members. */
export function hideCredentials(value: Json, pointer: string): Json {
  if (value === null) return null;
  if (pointer.split("/").some(isCredentialName)) return REDACTED;
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((each: Json) => hideCredentials(each, ""));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, hideCredentials(member, name)]));
}
