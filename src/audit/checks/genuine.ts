import { isObject } from "../../kernel/messages/json.js";
import { isAccepted, mustAccept, silent, wireCheck } from "../wire/judge.js";
import { post } from "../wire/stage.js";
import { UNKNOWN_TOPIC } from "../wire/events.js";
import { printEscaped, printNumbers, printOrdered, printSpaced } from "./body-forms.js";
import type { AuditEvent, Check, CheckInfo, Exchange, Verdict } from "../wire/check.js";

const RAW_BYTES = "Verify the raw bytes of the request, before anything parses, decodes or changes them.";

/** Far below what frameworks take by default (100 kB), far above an event without metadata. */
const LONG_EVENT_BYTES = 64 * 1024;

export const VALID_EVENT = "valid-event";

const NOT_FOUND =
  "Look whether the URL has the path to which the service posts. If the receiver answers 404 to an event whose order it does not know, answer 2xx there, " +
  "or let it make the orders of the audit: --order.";

/** It always runs first, because all other checks depend on it. */
export const validEvent = wireCheck({
  id: VALID_EVENT,
  group: "genuine",
  title: "an ordinary event with the right signature is accepted",
  severity: "critical",
  why: "The service treats anything but 2xx as a failure and sends the event again. Your application never learns of a payment.",
  fix:
    "Compare the header with the base64 of the HMAC-SHA256 of the raw body under the secret key. Answer 2xx once the event " +
    "is stored.",
  snippet: "verify",
  // A receiver that accepts one of these instead of the right signature has that bug.
  follows: [
    "signature-empty-secret:accepted",
    "signature-hex:accepted",
    "signature-base64url:accepted",
    "signature-reprinted:accepted",
    "signature-other-header:accepted",
    "header-case:unequal",
  ],
  send: (stage) => [post(stage, "an ordinary event", stage.event().text)],
  judge: (exchanges) => {
    const verdict = mustAccept(exchanges);
    const isNotFound = verdict.outcome === "failed" && verdict.exchange?.answer?.status === 404;
    return isNotFound ? { ...verdict, fix: NOT_FOUND } : verdict;
  },
});

/** Every event with the right signature must be accepted, whatever its bytes. */
export const genuineChecks: readonly Check[] = [
  validEvent,
  wireCheck({
    id: "header-case",
    group: "genuine",
    title: "the header's name is found in any case",
    severity: "high",
    why: "Header names ignore case. Once a proxy or HTTP/2 changes it, every event is refused.",
    fix: "Look the header up through your framework, which ignores case, and not in the raw list of headers.",
    snippet: "verify",
    follows: ["valid-event"],
    send: (stage) =>
      spellingsOf(stage.header).map((name) =>
        post(stage, `an event with its signature in ${name}`, stage.event().text, { name }),
      ),
    judge: judgeSpellings,
  }),
  variant({
    id: "white-space",
    title: "unusual white space in the body is accepted",
    why: "White space is signed too. Code that parses and prints the JSON before it hashes loses it, and refuses genuine events.",
    body: ({ value }) => printSpaced(value),
    sent: "a genuine event with unusual white space",
  }),
  variant({
    id: "escapes",
    title: "escaped characters in the body are accepted",
    why: String.raw`\u0070 and p are the same text in different bytes. A reprinted copy has another signature, so genuine events are refused.`,
    body: ({ value }) => printEscaped(value),
    sent: String.raw`a genuine event with \u0070 and \/ in it`,
  }),
  variant({
    id: "numbers",
    title: "numbers such as 50.50 and 1e4 are accepted",
    why: "50.50 parsed and printed is 50.5. Only amounts with decimals are refused, so tests with round amounts miss it.",
    body: ({ value }) => printNumbers(withData(value, { auditNumbers: [50.5, 10_000] })),
    sent: "a genuine event with numbers such as 50.50 and 1e4",
  }),
  variant({
    id: "key-order",
    title: "members in another order are accepted",
    why: "JSON has no order. Code that rebuilds the signed text from known members, or sorts them, refuses genuine events when the service adds or moves one.",
    body: ({ value }) => printOrdered(value, (keys) => keys.toReversed()),
    sent: "a genuine event with its members in another order",
  }),
  variant({
    id: "non-ascii-text",
    title: "text beyond ASCII is accepted",
    why: "A body that is read as Latin-1 or ASCII has another signature as soon as a customer is called Koné. Only those events are refused.",
    body: ({ value }) => JSON.stringify(withData(value, { description: ACCENTS })),
    sent: "a genuine event with é, kanji and an emoji in it",
  }),
  variant({
    id: "slow-sender",
    turn: "alone",
    title: "an event that arrives in small pieces is accepted",
    why: "A body can arrive in many pieces. Code that treats the first as the whole refuses events on slow connections.",
    fix: "Read to the end of the body before you verify it.",
    follows: ["valid-event"],
    body: ({ text }) => text,
    cuts: (text) => [1, 2, Math.floor(text.length / 2), text.length - 1],
    sent: "a genuine event that arrives in five pieces",
  }),
  variant({
    id: "split-character",
    turn: "alone",
    title: "a character that arrives in two pieces is accepted",
    why: "Code that turns each piece into text (`body += chunk`) breaks a character between two pieces. It happens rarely, to long events on slow connections.",
    fix: "Collect the pieces as bytes, join them at the end, and verify those.",
    follows: ["valid-event", "non-ascii-text", "slow-sender", "signature-reprinted:accepted"],
    body: ({ value }) => JSON.stringify(withData(value, { description: ACCENTS })),
    cuts: (text) => [Buffer.from(text).indexOf(Buffer.from("東")) + 1],
    sent: "a genuine event that is cut in the middle of a character",
  }),
  variant({
    id: "unknown-topic",
    title: "an unknown topic is acknowledged",
    why: "The service may add topics. It retries an event until it is acknowledged, and reports a receiver that refuses it as down.",
    fix: "Answer 2xx to a genuine event whose topic you do not handle.",
    snippet: "read",
    body: ({ value }) => JSON.stringify({ ...value, topic: UNKNOWN_TOPIC }),
    sent: "a genuine event of an unknown topic",
  }),
  variant({
    id: "unknown-fields",
    title: "unknown fields are accepted",
    why: "The service may add fields without notice. A strict schema then refuses all events.",
    fix: "Read the fields that you know, and ignore the others.",
    snippet: "read",
    body: ({ value }) =>
      JSON.stringify({
        ...withData(value, { auditUnknown: null, auditList: [[], {}] }),
        auditUnknown: { nested: [null, 1, "x"] },
      }),
    sent: "a genuine event with unknown fields",
  }),
  variant({
    id: "long-event",
    turn: "alone",
    title: "an event of 64 KiB is accepted",
    severity: "warning",
    why: "An event carries the metadata of its charge, however long. A limit that is too small refuses the largest orders.",
    fix: "Accept bodies of 256 KiB or more.",
    snippet: null,
    body: ({ value }) => JSON.stringify(withData(value, { auditFiller: "x".repeat(LONG_EVENT_BYTES) })),
    sent: "a genuine event of 64 KiB",
  }),
];

const ACCENTS = "Commande de Koné à Abidjan — 東京 🛒";

type Variant = Pick<CheckInfo, "id" | "title" | "why"> &
  Partial<Pick<Check, "fix" | "snippet" | "severity" | "follows" | "turn">> & {
    readonly body: (event: AuditEvent) => string;
    readonly cuts?: (text: string) => readonly number[];
    readonly sent: string;
  };

/** A genuine event in other bytes, in pieces, or with other content. */
function variant({ body, cuts, sent, ...info }: Variant): Check {
  return wireCheck({
    group: "genuine",
    severity: "high",
    fix: RAW_BYTES,
    snippet: "verify",
    follows: ["valid-event", "signature-reprinted:accepted"],
    ...info,
    send: (stage) => {
      const text = body(stage.event());
      return [post(stage, sent, text, cuts === undefined ? {} : { cuts: cuts(text) })];
    },
    judge: mustAccept,
  });
}

function withData(value: AuditEvent["value"], more: object) {
  return { ...value, data: { ...(isObject(value["data"]) ? value["data"] : {}), ...more } };
}

/** `x-service-hmac-sha256`, `X-SERVICE-HMAC-SHA256`, `X-Service-Hmac-Sha256`, and as it was given. */
function spellingsOf(name: string): string[] {
  const lower = name.toLowerCase();
  const title = lower.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
  return [...new Set([name, lower, title, lower.toUpperCase()])];
}

/** The bug is to accept one case and refuse another. A receiver that refuses all has another bug. */
function judgeSpellings(exchanges: readonly Exchange[]): Verdict {
  const accepted = exchanges.find(isAccepted);
  const other = exchanges.find((exchange) => !isAccepted(exchange));
  if (accepted === undefined || other === undefined) return mustAccept(exchanges);
  if (other.answer === null) return silent(other);
  const seen = `${accepted.request.sent} is accepted, and ${other.request.sent} is answered with ${other.answer.status}`;
  return { outcome: "failed", failing: "unequal", seen, exchange: other };
}
