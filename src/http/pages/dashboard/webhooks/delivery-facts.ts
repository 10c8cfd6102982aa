import { isUtf8 } from "node:buffer";
import type { Attempt, Delivery } from "../../../../domain/model/delivery.js";
import type { Instant } from "../../../../kernel/time/instant.js";
import type { Profile } from "../../../../domain/profile/profile.js";
import { parseJsonOrText } from "../../../../kernel/messages/json.js";
import { type Tone, describeDistance } from "../parts/show.js";
import { quoteForShell } from "../../../../kernel/messages/text.js";
import { BODY_MAX } from "../view/curl.js";
import { damageOf, sentBody, signBody, signedBody } from "../../../../domain/deliveries/sign-delivery.js";

/** The number of the last attempt, or 1 before the first. */
function lastAttempt({ attempts }: Pick<Delivery, "attempts">): number {
  return Math.max(1, attempts.length);
}

/** The bytes that the last attempt sent, or the first will send. */
export function bytesOf(delivery: Delivery): Buffer {
  return sentBody(delivery, lastAttempt(delivery));
}

/** Whether the last attempt sent the signature of the sent body in `header`. */
export function judgeSignature(
  delivery: Pick<Delivery, "body" | "effect" | "attempts">,
  header: string,
  secretKey: string,
): readonly [tone: Tone, word: string, why: string] {
  const sent = delivery.attempts.at(-1)?.requestHeaders[header];
  if (sent === undefined) return ["plain", "not sent yet", "Each attempt signs anew when it begins."];
  const { body } = delivery;
  const attempt = lastAttempt(delivery);
  if (damageOf(delivery, attempt).corruptSignature)
    return ["bad", "corrupted", "A rule corrupts it. Your receiver must reject this webhook."];
  if (sent !== signBody(body, secretKey))
    return ["warn", "of another key", "It was made with a secret key that has been replaced since."];
  if (sentBody(delivery, attempt).length < Buffer.byteLength(body))
    return ["bad", "of the whole body", "A rule truncates the body after signing. Your receiver must reject it."];
  return ["good", "valid", "It matches the sent bytes and the company's secret key."];
}

/** A shell command that sends the bytes of the last attempt to the receiver again, signed with the current key. It reads long ones from `body.json`. */
export function receiverCurl(
  delivery: Delivery,
  { signatureHeader, topicHeader }: Profile["webhooks"],
  secretKey: string,
): string {
  const { body, signature } = signedBody(delivery, lastAttempt(delivery), secretKey);
  const headers = ["content-type: application/json", `${signatureHeader}: ${signature}`];
  if (topicHeader !== null) headers.push(`${topicHeader}: ${delivery.topic}`);
  const call = ["curl -i", quoteForShell(delivery.url), ...headers.map((header) => `-H ${quoteForShell(header)}`)].join(
    " ",
  );
  if (body.length > BODY_MAX) return `${call} --data-binary @body.json`;
  if (isUtf8(body)) return `${call} --data-raw ${quoteForShell(body.toString())}`;
  return `printf %s ${body.toString("base64")} | base64 -d | ${call} --data-binary @-`;
}

/** The body may be any text, because a restored state may have such a delivery. */
export function formatJson(body: string): string {
  return JSON.stringify(parseJsonOrText(body), undefined, 2);
}

/** A sentence such as "Your receiver answered 500 in 2 ms; next attempt in 4m." */
export function describeDelivery(delivery: Delivery, now: Instant): string {
  const { status, attempts, nextAttemptAt } = delivery;
  const last = attempts.at(-1);
  const next = nextAttemptAt === null ? "" : describeDistance(nextAttemptAt, now);
  if (last === undefined) {
    if (status === "failed") return "A rule dropped it: nothing was sent.";
    if (status === "cancelled") return "Nothing was sent: its subscription was deleted.";
    return next === "" ? "It is on its way, or a rule holds it back." : `Nothing was sent yet; first attempt ${next}.`;
  }
  const answered = describeAttempt(last);
  if (status === "exhausted") return `${answered}; no attempt is left.`;
  if (status === "cancelled") return `${answered}; its subscription was deleted, so no attempt follows.`;
  if (status === "pending")
    return `${answered}; ${next === "" ? "another attempt is on its way" : `next attempt ${next}`}.`;
  return `${answered}.`;
}

function describeAttempt({ status, latencyMs, error }: Attempt): string {
  const ms = `${Math.round(latencyMs)} ms`;
  if (status === null) return `Your receiver gave no answer after ${ms}: ${error ?? ""}`;
  const isRedirect = status >= 300 && status < 400;
  const answered = `Your receiver answered ${status}${isRedirect ? ", a redirect that is not followed," : ""} in ${ms}`;
  // A rule loses the acknowledgement.
  return error !== null && status >= 200 && status < 300 ? `${answered}, but it does not count (${error})` : answered;
}
