import { isUtf8 } from "node:buffer";
import type { Delivery } from "../../../../domain/model/delivery.js";
import { sentBody, signBody } from "../../../../domain/deliveries/sign-delivery.js";

/** What every attempt of a delivery sends. */
export interface DeliveryBytes {
  readonly size: number;
  /** Undefined when the bytes are no text that could be shown as they are. */
  readonly text: string | undefined;
  /** The first {@link HEX_BYTES_SHOWN} bytes, sixteen to a line; undefined when there is a text. */
  readonly hex: string | undefined;
  /** How many bytes a rule cut off. */
  readonly cut: number;
}

export const HEX_BYTES_SHOWN = 4096;

/** A rule that cuts a body may cut through a character. */
export function bytesOf(delivery: Pick<Delivery, "body" | "effect">): DeliveryBytes {
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

/** Without control characters, and none of those that turn or hide what stands beside them. */
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

/** How what was sent as a signature stands to what was sent as a body. */
export type SignatureVerdict =
  /** That of the body that was sent, under the company's present secret key. */
  | "valid"
  /** A rule corrupted it. */
  | "corrupted"
  /** It is that of the whole body, of which a rule cut the end off. */
  | "of-whole-body"
  /** It was made under a secret key that another has replaced since. */
  | "other-key"
  /** No attempt was made, or under another name of the header. */
  | "none";

export interface Signature {
  /** The header's name, as the profile has it now. */
  readonly header: string;
  /** As the last attempt sent it; undefined when none did. */
  readonly sent: string | undefined;
  readonly verdict: SignatureVerdict;
}

export function signatureSent(
  delivery: Pick<Delivery, "body" | "effect" | "attempts">,
  header: string,
  secretKey: string,
): Signature {
  const sent = delivery.attempts.at(-1)?.requestHeaders[header];
  return { header, sent, verdict: judge(delivery, sent, secretKey) };
}

function judge({ body, effect }: Pick<Delivery, "body" | "effect">, sent: string | undefined, secretKey: string) {
  if (sent === undefined) return "none";
  if (effect?.corruptSignature === true) return "corrupted";
  if (sent !== signBody(body, secretKey)) return "other-key";
  return sentBody({ body, effect }).length === Buffer.byteLength(body) ? "valid" : "of-whole-body";
}

/** A body that is longer is not written into a command. */
export const COMMAND_BODY_MAX = 4_000;

/**
 * A line for a shell that makes the same signature from the body and `$SECRET`, the company's secret key. Of a long body the line reads `body.json`, into which
 * it has to be saved first, byte by byte.
 */
export function signatureCommand({ body }: Pick<Delivery, "body">): string {
  const digest = 'openssl dgst -sha256 -hmac "$SECRET" -binary';
  if (body.length > COMMAND_BODY_MAX) return `${digest} < body.json | base64`;
  return `printf %s '${body.replaceAll("'", String.raw`'\''`)}' | ${digest} | base64`;
}
