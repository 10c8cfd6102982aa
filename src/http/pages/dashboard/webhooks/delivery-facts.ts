import { isUtf8 } from "node:buffer";
import type { Attempt, Delivery } from "../../../../domain/model/delivery.js";
import type { Instant } from "../../../../kernel/time/instant.js";
import { quoted } from "../view/curl.js";
import { sentBody, signBody } from "../../../../domain/deliveries/sign-delivery.js";

export const HEX_BYTES_SHOWN = 4096;

/** The bytes that each attempt sends: printable text, or the first in hexadecimal, and how many a rule cut off. */
export function bytesOf(delivery: Pick<Delivery, "body" | "effect">) {
  const sent = sentBody(delivery);
  const text = sent.toString();
  const isText = isUtf8(sent) && isPrintable(text);
  return {
    size: sent.length,
    text: isText ? text : undefined,
    hex: isText ? undefined : hexDump(sent.subarray(0, HEX_BYTES_SHOWN)),
    cut: Buffer.byteLength(delivery.body) - sent.length,
  };
}

/** Without control characters and without those that reverse or hide other text. */
function isPrintable(text: string): boolean {
  return !/[^\P{Cc}\n\r\t]|[\u2028-\u202e\u2066-\u2069]/u.test(text);
}

/** `00000010  7b 22 74 6f 70 69 63 22  3a 22 63 68 61 72 67 65  |{"topic":"charge|` */
function hexDump(bytes: Buffer): string {
  const lines: string[] = [];
  for (let offset = 0; offset < bytes.length; offset += 16) {
    const line = [...bytes.subarray(offset, offset + 16)];
    const hex = line.map((byte, index) => `${index === 8 ? " " : ""}${byte.toString(16).padStart(2, "0")}`).join(" ");
    const shown = line.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${offset.toString(16).padStart(8, "0")}  ${hex.padEnd(48)}  |${shown}|`);
  }
  return lines.join("\n");
}

export type SignatureVerdict = "valid" | "corrupted" | "of-whole-body" | "other-key" | "none";

/** What the last attempt sent in `header`, and whether it is the signature of the sent body. */
export function signatureSent(
  delivery: Pick<Delivery, "body" | "effect" | "attempts">,
  header: string,
  secretKey: string,
) {
  const sent = delivery.attempts.at(-1)?.requestHeaders[header];
  return { sent, verdict: judge(delivery, sent, secretKey) };
}

function judge(
  { body, effect }: Pick<Delivery, "body" | "effect">,
  sent: string | undefined,
  secretKey: string,
): SignatureVerdict {
  if (sent === undefined) return "none";
  if (effect?.corruptSignature === true) return "corrupted";
  if (sent !== signBody(body, secretKey)) return "other-key";
  return sentBody({ body, effect }).length === Buffer.byteLength(body) ? "valid" : "of-whole-body";
}

export const COMMAND_BODY_MAX = 4_000;

/** A command that signs the body with `$SECRET`, the company's secret key. It reads a long body from `body.json`. */
export function signatureCommand({ body }: Pick<Delivery, "body">): string {
  const digest = 'openssl dgst -sha256 -hmac "$SECRET" -binary';
  if (body.length > COMMAND_BODY_MAX) return `${digest} < body.json | base64`;
  return `printf %s ${quoted(body)} | ${digest} | base64`;
}

export type RetryStep = MadeStep | PlannedStep;

export interface MadeStep {
  readonly kind: "made";
  readonly number: number;
  readonly attempt: Attempt;
}

export interface PlannedStep {
  /** The next one; or one that is made if the one before fails, at `at` or later. */
  readonly kind: "planned" | "possible";
  readonly number: number;
  /** Null: it is being made, or a rule holds it back. */
  readonly at: Instant | null;
}

/** The attempts so far, and those that follow as long as each one fails. `gapsMs` is `webhooks.retry`. */
export function retryPlanOf(
  { attempts, status, nextAttemptAt }: Delivery,
  gapsMs: readonly number[],
  isSubscribed: boolean,
): readonly RetryStep[] {
  const made = attempts.map((attempt, index): MadeStep => ({ kind: "made", number: index + 1, attempt }));
  if (status !== "pending") return made;
  const next = attempts.length + 1;
  const steps: RetryStep[] = [...made, { kind: "planned", number: next, at: nextAttemptAt }];
  // Deleting a subscription stops its retries.
  if (nextAttemptAt === null || !isSubscribed) return steps;
  let at = nextAttemptAt;
  for (const [index, gap] of gapsMs.slice(next - 1).entries()) {
    at += gap;
    steps.push({ kind: "possible", number: next + 1 + index, at });
  }
  return steps;
}
