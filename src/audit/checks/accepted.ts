import { printEscaped, printNumbers, printReversed, printSpaced } from "../body-forms.js";
import type { CheckInfo } from "../check.js";
import { type EventValue, mustAccept, post, type Stage, type WireCheck } from "../stage.js";

export type NamedWireCheck = CheckInfo & WireCheck;

/** The one check that all others stand on. */
export const VALID_EVENT = "valid-event";

const RAW_BYTES = "Verify the raw bytes of the request, before anything parses, decodes or changes them.";

/** What is signed rightly must be accepted, in whatever bytes it comes. */
export const acceptedChecks: readonly NamedWireCheck[] = [
  {
    id: VALID_EVENT,
    title: "an ordinary event with the right signature is accepted",
    severity: "critical",
    why: "The service takes anything but a 2xx for a failure and sends the event again and again: no payment is ever noticed.",
    fix:
      "Compare the header with the base64 of the HMAC-SHA256 of the raw body under the secret key, and answer 2xx. Check that both sides have the same " +
      "secret (--secret) and header (--header). Does the receiver refuse what it does not know? Give it an event that it knows (--event).",
    snippet: "verify",
    follows: {
      refused: [
        "signature-empty-secret",
        "signature-hex",
        "signature-base64url",
        "signature-reprinted",
        "signature-other-header",
      ],
      crashed: ["signature-other-header"],
    },
    requests: 1,
    send: (stage) => [post(stage, "an ordinary event", stage.event().text)],
    judge: mustAccept,
  },
  {
    id: "header-case",
    title: "the header's name is found in any case",
    severity: "high",
    why: "Names of headers have no case. Proxies and HTTP/2 change it, and from that day on every event is refused.",
    fix: "Look the header up through your framework, which ignores case, and not in the raw list of headers.",
    snippet: "verify",
    requests: 2,
    send: (stage) =>
      [stage.header.toUpperCase(), titleCase(stage.header)]
        .filter((name) => name !== stage.header)
        .map((name) => post(stage, `an event with its signature in ${name}`, stage.event().text, { name })),
    judge: mustAccept,
  },
  trap({
    id: "white-space",
    title: "unusual white space in the body is accepted",
    why: "White space is part of what is signed. Whoever parses and prints the JSON again before hashing loses it, and refuses genuine events on the day on which the service prints differently.",
    body: ({ value }) => printSpaced(value),
    sent: "a genuine event with unusual white space",
  }),
  trap({
    id: "escapes",
    title: "escaped characters in the body are accepted",
    why: String.raw`\u0070 and p are the same text in other bytes. A printed copy has another signature than what came, so genuine events are refused.`,
    body: ({ value }) => printEscaped(value),
    sent: String.raw`a genuine event with \u0070 and \/ in its texts`,
  }),
  trap({
    id: "numbers",
    title: "numbers such as 50.50 and 1e4 are accepted",
    why: "50.50 parsed and printed is 50.5. Amounts with decimals are refused, and only those: a bug that no test with round amounts finds.",
    body: ({ value }) => printNumbers(value),
    sent: "a genuine event with numbers such as 50.50 and 1e4",
  }),
  trap({
    id: "key-order",
    title: "members in another order are accepted",
    why: "JSON has no order. Whoever builds the signed text anew from known members, or sorts them, refuses genuine events when the service adds or moves one.",
    body: ({ value }) => printReversed(value),
    sent: "a genuine event with its members in another order",
  }),
  trap({
    id: "non-ascii-text",
    title: "text beyond ASCII is accepted",
    why: "A body that is read as latin1 or ASCII, or printed with escapes, has another signature as soon as a customer is called Koné. Only those events are refused.",
    body: ({ value }) => JSON.stringify(withDescription(value, ACCENTS)),
    sent: "a genuine event with text such as Koné, 東京 and 🛒",
  }),
  {
    id: "split-character",
    title: "a character that arrives in two pieces is accepted",
    severity: "high",
    why: "Pieces of a body that are made text one by one (`body += chunk`) break the character between them. It happens to long events on slow lines, and cannot be repeated.",
    fix: "Collect the pieces as bytes, join them at the end, and verify those.",
    snippet: "verify",
    follows: { refused: ["non-ascii-text", "signature-reprinted"], crashed: ["non-ascii-text"] },
    requests: 1,
    send: (stage) => {
      const text = JSON.stringify(withDescription(stage.event().value, ACCENTS));
      const middle = Buffer.from(text).indexOf(Buffer.from("東")) + 1;
      return [post(stage, "a genuine event that is cut in the middle of a character", text, { cuts: [middle] })];
    },
    judge: mustAccept,
  },
  {
    id: "unknown-topic",
    title: "an unknown topic is acknowledged",
    severity: "high",
    why: "Topics are added. An event that is of no use is sent again and again until it is acknowledged, and a receiver that crashes on it is reported as down.",
    fix: "Answer 2xx to a genuine event whose topic you do not handle.",
    snippet: "read",
    requests: 1,
    send: (stage) => {
      const { value } = stage.event();
      const text = JSON.stringify({ ...value, topic: "audit/unknown", data: { id: value.data["id"] ?? "audit" } });
      return [post(stage, "a genuine event of an unknown topic", text)];
    },
    judge: mustAccept,
  },
  trap({
    id: "unknown-fields",
    title: "fields that nobody has told of are accepted",
    why: "Fields are added without notice. A strict schema refuses all events from that day on.",
    fix: "Take the fields that you know, and leave the others be.",
    snippet: "read",
    body: ({ value }) =>
      JSON.stringify({
        ...value,
        auditUnknown: { nested: [null, 1, "x"] },
        data: { ...value.data, auditUnknown: null, auditList: [[], {}] },
      }),
    sent: "a genuine event with unknown fields",
  }),
];

const ACCENTS = "Commande de Koné à Abidjan — 東京 🛒";

type Trap = Pick<CheckInfo, "id" | "title" | "why"> & {
  readonly fix?: string;
  readonly snippet?: CheckInfo["snippet"];
  readonly body: (event: ReturnType<Stage["event"]>) => string;
  readonly sent: string;
};

/** A genuine event in bytes that only a receiver which verifies the raw body accepts. */
function trap({ body, sent, fix = RAW_BYTES, snippet = "verify", ...info }: Trap): NamedWireCheck {
  return {
    ...info,
    severity: "high",
    fix,
    snippet,
    follows: { refused: ["signature-reprinted"] },
    requests: 1,
    send: (stage) => [post(stage, sent, body(stage.event()))],
    judge: mustAccept,
  };
}

function withDescription(value: EventValue, description: string): EventValue {
  return { ...value, data: { ...value.data, description } };
}

/** `x-service-hmac-sha256` → `X-Service-Hmac-Sha256`. */
function titleCase(name: string): string {
  return name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
