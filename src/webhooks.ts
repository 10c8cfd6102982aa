import { isHmac } from "./domain/deliveries/hmac.js";
import type { WebhookEvent } from "./library/webhook-events.js";

export type {
  ChargeEvent,
  ChargeTopic,
  TransactionEvent,
  TransactionTopic,
  WebhookEvent,
} from "./library/webhook-events.js";

/**
 * Whether a webhook is genuine: the base64 HMAC-SHA256 of its raw body under the secret key equals the header's value. For production
 * code; it needs nothing but Node, a browser or a worker.
 *
 * Contract, Events, Signature: "Take the raw payload body string. Compute HMAC with SHA-256, key = `SECRET_KEY`, message = the body
 * string. Base64-encode the result. Compare with the header value. If equal the payload is authentic; otherwise the request is to be rejected."
 *
 * @param rawBody the bytes as they came, never a parsed and printed copy: another order of keys or `50.50` becoming `50.5` has another signature.
 * @param header the value of `x-service-hmac-sha256`. Undefined, empty, or more than one value is never genuine.
 * @param secretKey the `SECRET_KEY` that came with the access token. With an empty one nothing is genuine.
 * @throws TypeError for a body that has been parsed already, which nothing can be verified of, and for a secret key that is not a string.
 *
 * @example
 * ```ts
 * const isGenuine = verifySignature(rawBody, request.headers["x-service-hmac-sha256"], process.env.SECRET_KEY ?? "");
 * if (!isGenuine) response.writeHead(401).end();
 * ```
 */
export function verifySignature(
  rawBody: string | Uint8Array | ArrayBuffer,
  header: string | readonly string[] | null | undefined,
  secretKey: string,
): boolean {
  const body = rawBodyOf(rawBody);
  if (body === undefined) {
    throw new TypeError(
      "Failed to verify a webhook: its body was parsed already. Give the raw text or bytes of the request.",
    );
  }
  // A missing one would count as the empty key, with which anyone can sign.
  if (typeof secretKey !== "string") {
    const got = secretKey === null ? "null" : typeof secretKey;
    throw new TypeError(`Failed to verify a webhook: the secret key must be a string, got ${got}. Is SECRET_KEY set?`);
  }
  return typeof header === "string" && secretKey !== "" && isHmac(header, body, secretKey);
}

/** Undefined for what is neither text nor bytes. Without `instanceof`: a test runner may give each file a global object of its own. */
function rawBodyOf(given: unknown): string | Uint8Array | undefined {
  if (typeof given === "string") return given;
  if (ArrayBuffer.isView(given)) return new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
  const isBuffer = Object.prototype.toString.call(given) === "[object ArrayBuffer]";
  return isBuffer ? new Uint8Array(given as ArrayBuffer) : undefined;
}

/** Why a webhook was refused. `signature`: answer 401. `body`: it is genuine, but not an event of the contract: answer 400 and look into it. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly reason: "signature" | "body";
  /** What to answer with. 204 to a topic that is not known: it is of no use, and would be sent again and again. */
  readonly status: 401 | 400 | 204;

  constructor(reason: "signature" | "body", message: string, status: 401 | 400 | 204 = reason === "body" ? 400 : 401) {
    super(`Failed to read a webhook: ${message}.`);
    this.reason = reason;
    this.status = status;
  }
}

/**
 * The event of a genuine webhook. `topic` distinguishes charges from transactions. Fields that the contract adds later are kept.
 *
 * @param rawBody as for {@link verifySignature}.
 * @param header as for {@link verifySignature}.
 * @param secretKey as for {@link verifySignature}.
 * @throws WebhookError when the signature is missing or wrong, or the body is not an event.
 * @throws TypeError as {@link verifySignature}.
 *
 * @example
 * ```ts
 * const event = parseWebhook(rawBody, request.headers["x-service-hmac-sha256"], process.env.SECRET_KEY ?? "");
 * if (event.topic === "charges/events" && event.data.status === "paid") console.log(event.data.externalId);
 * ```
 */
export function parseWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  header: string | readonly string[] | null | undefined,
  secretKey: string,
): WebhookEvent {
  if (!verifySignature(rawBody, header, secretKey))
    throw new WebhookError("signature", "its signature is missing or wrong");
  const event = parseJson(
    typeof rawBody === "string" ? rawBody : new TextDecoder("utf-8", { ignoreBOM: true }).decode(rawBody),
  );
  const topic = isObject(event) ? event["topic"] : undefined;
  const fields = typeof topic === "string" && Object.hasOwn(fieldsOf, topic) ? fieldsOf[topic] : undefined;
  if (!isObject(event) || fields === undefined)
    throw new WebhookError(
      "body",
      `topic must be one of ${Object.keys(fieldsOf).join(", ")}`,
      typeof topic === "string" ? 204 : 400,
    );
  const { data } = event;
  if (!isObject(data)) throw new WebhookError("body", "data must be an object");
  const wrong = Object.keys(fields).filter((name) => fields[name]?.(data[name]) !== true);
  if (wrong.length > 0) throw new WebhookError("body", `data.${wrong.join(", data.")} missing or of another type`);
  return event as unknown as WebhookEvent;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isAmount: Check = (value) => typeof value === "number";
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    isText(value) && values.includes(String(value));

/** What identifies a resource and says its state. Other fields are not checked: the contract does not show all payloads. */
const charge: Readonly<Record<string, Check>> = {
  id: isText,
  externalId: isText,
  amount: isAmount,
  status: oneOf("created", "due", "paid", "refunded", "refunded_partially", "dropped"),
};
const transaction: Readonly<Record<string, Check>> = {
  id: isText,
  reference: isText,
  msisdn: isText,
  amount: isAmount,
  status: oneOf("pending", "completed", "failed"),
};

/** By topic, in both spellings. */
const fieldsOf: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  "charges/events": charge,
  "charge/events": charge,
  "transactions/started": transaction,
  "transactions/completed": transaction,
  "transactions/failed": transaction,
  "transaction/started": transaction,
  "transaction/completed": transaction,
  "transaction/failed": transaction,
};

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new WebhookError("body", "its body is not JSON");
  }
}
