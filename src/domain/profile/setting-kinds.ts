import { domainToASCII } from "node:url";
import ipaddr from "ipaddr.js";
import * as z from "zod";
import { parseDuration } from "../../kernel/time/duration.js";
import { duration, HEADER_NAME, list, listing, oneOf, sentence } from "../../kernel/fields.js";
import { didYouMean } from "../../kernel/messages/suggest.js";
import { bareHost, quote } from "../../kernel/messages/text.js";

/** The kinds of value that only settings have, besides those of kernel/fields.ts. */

const TEXT_MAX = 200;

export function settingText(): z.ZodType<string, string> {
  const error = `must be text of 1 to ${TEXT_MAX} characters, in quotes if it looks like a number`;
  return z.string({ error }).regex(/\S/, { error }).max(TEXT_MAX, { error });
}

/** The name of a member of a JSON body, or of a query parameter. */
export function memberName(): z.ZodType<string, string> {
  const error = "must be a name of 1 to 60 letters, digits, - and _ that begins with a letter";
  return z
    .string({ error })
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,59}$/, { error })
    .refine((name) => !(name in {}), { error: "must be a name that objects do not have already" });
}

/** The name of an HTTP header that may be added to a delivery. */
export function headerName(): z.ZodType<string, string> {
  const error = "must be the name of an HTTP header (letters, digits and - such as x-signature)";
  return z
    .string({ error })
    .regex(HEADER_NAME, { error })
    .max(100, { error })
    .refine((name) => !RESERVED_HEADERS.has(name.toLowerCase()), {
      error: "must be a header that HTTP itself does not use",
    });
}

/** Headers that describe the connection or the body: changing them breaks the delivery and tests nothing. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The changes of a charge that a webhook can report, in the order of a charge's life. */
export const CHARGE_EVENTS = ["paid", "dropped", "refunded", "refunded_partially"] as const;
export type ChargeEvent = (typeof CHARGE_EVENTS)[number];

/** A list of these changes, a text with commas between them, or `none`. The output has each change once, in the order of {@link CHARGE_EVENTS}. */
export function chargeEvents(): z.ZodType<readonly ChargeEvent[], string | readonly ChargeEvent[]> {
  const error = `must be a list of ${listing(CHARGE_EVENTS)}, or such text with commas between`;
  const unique = (events: readonly ChargeEvent[]): readonly ChargeEvent[] =>
    CHARGE_EVENTS.filter((event) => events.includes(event));
  const isEvent = (name: string): name is ChargeEvent => CHARGE_EVENTS.some((event) => event === name);
  const fromText = z.string({ error }).transform((written, context): readonly ChargeEvent[] => {
    if (written.trim() === "none") return [];
    const names = written.split(",").map((name) => name.trim());
    const wrong = names.find((name) => !isEvent(name));
    if (wrong === undefined) return unique(names.filter(isEvent));
    const known = CHARGE_EVENTS.join(", ");
    return sentence(context, `${quote(wrong)} is not one of ${known}.${didYouMean(wrong, CHARGE_EVENTS)}`);
  });
  const fromList = list(oneOf(...CHARGE_EVENTS), error).transform(unique);
  return z.union([fromText, fromList], { error });
}

/**
 * Named schedules. `fast` is for suites in real time; `realistic` spans days as real providers do, so that a receiver that is down for a night misses
 * nothing.
 */
export const RETRY_PRESETS = {
  none: [],
  fast: ["100ms", "200ms", "400ms", "800ms", "1.6s"],
  realistic: ["10s", "1m", "5m", "30m", "2h", "6h", "12h", "1d"],
} as const;

const GAPS_MAX = 100;

/** The gaps between attempts: a preset or a list of durations; the output is ms. */
export function retryGaps(): z.ZodType<readonly number[], keyof typeof RETRY_PRESETS | readonly (string | number)[]> {
  const error = 'must be "none", "fast", "realistic" or a list of durations such as ["10s", "1m"]';
  return z.union(
    [
      z
        .literal(["none", "fast", "realistic"], { error })
        .transform((preset): readonly number[] => RETRY_PRESETS[preset].map(parseDuration)),
      z.array(duration(), { error }).max(GAPS_MAX, { error: `must be a list of at most ${GAPS_MAX} durations` }),
    ],
    { error },
  );
}

const HOSTS_MAX = 1000;
const hostExpected = "a host name, an IP address or a CIDR such as 10.0.0.0/8, without scheme, port or wildcard";

/** Hosts as a URL spells them (lower case, ASCII), IP addresses without brackets, and CIDRs. */
export type AllowedHosts =
  | { readonly kind: "any" }
  | { readonly kind: "list"; readonly hosts: readonly string[] }
  /** Made by the program: the hosts that both permit. If the operator permits any host, only public addresses. */
  | { readonly kind: "tenant"; readonly own: AllowedHosts; readonly operator: AllowedHosts };

/** `any`, or a list of host names, IP addresses and CIDRs; the output spells them as the host of a parsed URL does. */
export function allowedHosts(): z.ZodType<AllowedHosts, "any" | readonly string[]> {
  const error = 'must be "any" or a list of host names, IP addresses and CIDRs';
  const host = z
    .string({ error: `must be ${hostExpected}` })
    .transform(
      (written, context) => hostOf(written.trim()) ?? sentence(context, `${quote(written)} is not ${hostExpected}`),
    );
  return z.union(
    [
      z.literal("any", { error }).transform(() => ({ kind: "any" as const })),
      z
        .array(host, { error })
        .max(HOSTS_MAX, { error: `must be a list of at most ${HOSTS_MAX} hosts` })
        .transform((hosts) => ({ kind: "list" as const, hosts })),
    ],
    { error },
  );
}

/** The longest name that DNS has, with a dot at its end. */
const NAME_LENGTH_MAX = 254;

function hostOf(written: string): string | undefined {
  if (written.includes("/")) return cidrOf(written);
  const address = bareHost(written);
  if (ipaddr.IPv6.isValid(address)) return ipaddr.IPv6.parse(address).toRFC5952String();
  // Asked about a name, the library throws and catches an error, which takes longer than all the rest.
  if (/^[\d.]+$/.test(written) && ipaddr.IPv4.isValidFourPartDecimal(written)) return written;
  // The time to convert a name grows with the square of its length.
  if (written.length > NAME_LENGTH_MAX) return undefined;
  const name = domainToASCII(written.replace(/\.$/, ""));
  return name.length < NAME_LENGTH_MAX && HOST_NAME.test(name) ? name : undefined;
}

function cidrOf(written: string): string | undefined {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(written)) return written;
  return ipaddr.IPv6.isValidCIDR(written) ? written.toLowerCase() : undefined;
}

/** Labels of letters, digits and inner hyphens or underscores. The last label is not a number, because that would be a malformed IPv4 address. */
const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*(?!\d+$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
