import { printPhp, printPython, printSorted, printSpaced } from "../body-forms.js";
import type { AuditRequest } from "../check.js";
import { type EventValue, mustRefuse, post, postSigned, type Stage } from "../stage.js";
import type { NamedWireCheck } from "./accepted.js";

const COMPARE = "Compute the base64 of the HMAC-SHA256 of the raw body, and compare the whole header with it, byte by byte, in constant time.";

/** When no signature matters at all, no single mistake about signatures does. */
const UNVERIFIED = ["signature-wrong-secret"];

/** Signatures that are not the right one: "otherwise the request is to be rejected". */
export const forgedChecks: readonly NamedWireCheck[] = [
  {
    id: "signature-missing",
    title: "an event without a signature is refused",
    severity: "critical",
    why: "Verification that is skipped when the header is missing is no verification: anybody who knows the address can report a payment, by leaving the header out.",
    fix: "Refuse with 401 when the header is missing, before anything else.",
    snippet: "verify",
    follows: { accepted: UNVERIFIED },
    requests: 1,
    send: (stage) => [postSigned(stage, "an event without a signature", () => null)],
    judge: mustRefuse,
  },
  {
    id: "signature-wrong-secret",
    title: "a signature under another secret is refused",
    severity: "critical",
    why: "The signature is not compared with anything: whoever knows the address can report payments that nobody has made.",
    fix: COMPARE,
    snippet: "verify",
    requests: 2,
    send: (stage) => [
      postSigned(stage, "an event signed with another secret", (_, body) => stage.sign(body, "not-the-secret")),
      postSigned(stage, "an event with a made-up signature", () => `${"A".repeat(43)}=`),
    ],
    judge: mustRefuse,
  },
  {
    id: "signature-empty-secret",
    title: "a signature under an empty secret is refused",
    severity: "critical",
    why: "A secret that was not configured is \"\", \"undefined\" or \"None\" to the code that uses it. Genuine events are refused, and forged ones can be signed by anybody.",
    fix: "Refuse to start without the secret key, instead of verifying with nothing.",
    snippet: "verify",
    follows: { accepted: UNVERIFIED },
    requests: 4,
    send: (stage) =>
      ["", "undefined", "null", "None"].map((secret) =>
        postSigned(stage, `an event signed with the secret "${secret}"`, (_, body) => stage.sign(body, secret)),
      ),
    judge: mustRefuse,
  },
  {
    id: "body-changed",
    title: "a body that was changed after it was signed is refused",
    severity: "critical",
    why: "The signature is not of the whole body, so whoever has seen one event can report any amount.",
    fix: "Hash all bytes of the body, none left out.",
    snippet: "verify",
    follows: { accepted: UNVERIFIED },
    requests: 1,
    send: (stage) => {
      const { text, value } = stage.event();
      const changed = JSON.stringify({ ...value, data: tamper(value.data) });
      return [post(stage, "an event whose amount was changed after it was signed", changed, { signature: stage.sign(text) })];
    },
    judge: mustRefuse,
  },
  {
    id: "signature-empty",
    title: "an empty signature is refused",
    severity: "critical",
    why: "An empty text is false in most languages, so `if (signature && …)` lets it pass; and every text begins with it.",
    fix: "Refuse an empty header like a missing one.",
    snippet: "verify",
    follows: { accepted: [...UNVERIFIED, "signature-missing", "signature-prefix"], crashed: ["signature-length"] },
    requests: 1,
    send: (stage) => [postSigned(stage, "an event with an empty signature", () => "")],
    judge: mustRefuse,
  },
  {
    id: "signature-prefix",
    title: "a part of the signature, or more than it, is refused",
    severity: "critical",
    why: "A comparison that stops early (startsWith, includes, the length of the shorter one) accepts a signature of one character: some dozens of tries forge any event.",
    fix: COMPARE,
    snippet: "verify",
    follows: { accepted: [...UNVERIFIED, "signature-base64url"], crashed: ["signature-length"] },
    requests: 3,
    send: (stage) => [
      postSigned(stage, "an event with the first half of its signature", (right) => right.slice(0, 22)),
      postSigned(stage, "an event with more than its signature", (right) => `${right}AAAA`),
      postSigned(stage, "an event with something before its signature", (right) => `AAAA${right}`),
    ],
    judge: mustRefuse,
  },
  {
    id: "signature-hex",
    title: "the signature in hex is refused",
    severity: "high",
    why: "The contract says base64. A receiver that compares hex refuses every genuine event; one that takes both has a way in that nobody tests.",
    fix: 'Encode as base64: `digest("base64")`, not `digest("hex")`.',
    snippet: "verify",
    follows: { accepted: UNVERIFIED, crashed: ["signature-length"] },
    requests: 2,
    send: (stage) => [
      postSigned(stage, "an event whose signature is in hex", (right) => hexOf(right)),
      postSigned(stage, "an event whose signature is in capital hex", (right) => hexOf(right).toUpperCase()),
    ],
    judge: mustRefuse,
  },
  {
    id: "signature-base64url",
    title: "the signature in base64url is refused",
    severity: "high",
    why: "Decoding the header before comparing takes many texts for the same signature: base64url, white space, rubbish in between. Two systems that look at one event then disagree whether it is genuine.",
    fix: "Compare the texts, not what a tolerant decoder makes of them.",
    snippet: "verify",
    follows: { accepted: UNVERIFIED, crashed: ["signature-length"] },
    requests: 2,
    send: (stage) => {
      const text = textWithBoth(stage);
      const url = stage.sign(text).replaceAll("+", "-").replaceAll("/", "_");
      return [
        post(stage, "an event whose signature is in base64url", text, { signature: url }),
        post(stage, "an event whose signature is in base64url without padding", text, { signature: url.replace(/=+$/, "") }),
      ];
    },
    judge: mustRefuse,
  },
  {
    id: "signature-case",
    title: "the signature in another case is refused",
    severity: "high",
    why: "Base64 tells A from a. A comparison without case makes a forgery some million million times easier.",
    fix: COMPARE,
    snippet: "verify",
    follows: { accepted: UNVERIFIED },
    requests: 2,
    send: (stage) => [
      postSigned(stage, "an event whose signature is in lower case", (right) => right.toLowerCase()),
      postSigned(stage, "an event whose signature is in upper case", (right) => right.toUpperCase()),
    ],
    judge: mustRefuse,
  },
  {
    id: "signature-white-space",
    title: "a signature with white space in it or behind it is refused",
    severity: "high",
    // A plain space or tab at the end never reaches an application: RFC 9110 (5.5) has every HTTP parser take it away. A no-break space does, and so
    // does one in the middle.
    why: "Trimming or decoding the header takes many texts for the same signature. Two systems that look at one event then disagree whether it is genuine.",
    fix: "Compare the header as it is: no trim, no decoding.",
    snippet: "verify",
    follows: { accepted: [...UNVERIFIED, "signature-base64url", "signature-prefix"], crashed: ["signature-not-ascii", "signature-length"] },
    requests: 2,
    send: (stage) => [
      postSigned(stage, "an event whose signature ends with a no-break space", (right) => `${right}\u00A0`),
      postSigned(stage, "an event with a space in its signature", (right) => `${right.slice(0, 20)} ${right.slice(20)}`),
    ],
    judge: mustRefuse,
  },
  {
    id: "signature-reprinted",
    title: "the signature of another form of the body is refused",
    severity: "high",
    why: "The body is parsed and printed again, or changed otherwise, before it is hashed. What is verified is not what came: genuine events in other bytes are refused, and what a parser loses is not protected.",
    fix: "Verify the raw bytes of the request: express.raw(), request.get_data(), php://input. Parse afterwards.",
    snippet: "verify",
    follows: { accepted: UNVERIFIED },
    requests: otherForms({ topic: "", data: {} }, "").length,
    send: (stage) => {
      const { value } = stage.event();
      const body = printSpaced(value);
      return otherForms(value, body).map(([form, text]) =>
        post(stage, `an event with the signature of its body ${form}`, body, { signature: stage.sign(text) }),
      );
    },
    judge: mustRefuse,
  },
  {
    id: "signature-two",
    title: "two signatures are refused",
    severity: "high",
    why: "A proxy may look at the one and the application at the other. Of two values none is the signature.",
    fix: "Refuse a request that has the header more than once.",
    snippet: "verify",
    follows: { accepted: [...UNVERIFIED, "signature-prefix", "signature-base64url"], crashed: ["signature-length"] },
    requests: 2,
    send: (stage) => [
      postSigned(stage, "an event with its signature and a wrong one after it", (right, body) => [right, stage.sign(body, "other")]),
      postSigned(stage, "an event with a wrong signature and its own after it", (right, body) => [stage.sign(body, "other"), right]),
    ],
    judge: mustRefuse,
  },
  {
    id: "signature-other-header",
    title: "a signature in another header is refused",
    severity: "high",
    why: "A receiver that reads a header which the service never sends refuses every genuine event, or verifies none.",
    fix: "Read the header that the contract names, and no other.",
    snippet: "verify",
    follows: { accepted: [...UNVERIFIED, "signature-missing"] },
    requests: 8,
    send: (stage): AuditRequest[] =>
      OTHER_HEADERS.filter((name) => name !== stage.header)
        .slice(0, 8)
        .map((name) => post(stage, `an event with its signature in ${name} alone`, stage.event().text, { name })),
    judge: mustRefuse,
  },
  {
    id: "signature-length",
    title: "a signature of another length is refused, without a crash",
    severity: "high",
    why: "timingSafeEqual throws when lengths differ. Anybody can make the receiver answer 500 as often as they like, and real trouble is lost among the alarms.",
    fix: "Compare the lengths first, then the bytes.",
    snippet: "verify",
    follows: { accepted: UNVERIFIED },
    requests: 2,
    send: (stage) => [
      postSigned(stage, "an event with a signature of four characters", () => "zzzz"),
      postSigned(stage, "an event with a signature of 200 characters", () => "z".repeat(200)),
    ],
    judge: mustRefuse,
  },
  {
    id: "signature-not-ascii",
    title: "a signature with characters beyond ASCII is refused, without a crash",
    severity: "high",
    why: "hmac.compare_digest of Python throws for text that is not ASCII. Anybody can make the receiver answer 500 as often as they like.",
    fix: "Compare bytes, not text: encode the header first.",
    snippet: "verify",
    follows: { accepted: UNVERIFIED, crashed: ["signature-length"] },
    requests: 1,
    send: (stage) => [postSigned(stage, "an event with a signature that is not ASCII", () => `${"é".repeat(43)}=`)],
    judge: mustRefuse,
  },
];

/** Where other services put their signatures, and where this one's name misleads to. */
const OTHER_HEADERS = [
  "x-hmac-sha256",
  "x-signature",
  "x-hub-signature-256",
  "x-webhook-signature",
  "x-service-signature",
  "x-hmac-signature",
  "signature",
  "x-signature-256",
  "x-service-hmac-sha256",
];

/** The bodies that receivers make of a body before they hash it. */
function otherForms(value: EventValue, body: string): readonly (readonly [form: string, text: string])[] {
  return [
    ["parsed and printed again (JSON.stringify)", JSON.stringify(value)],
    ["parsed and printed again (json.dumps)", printPython(value)],
    ["parsed and printed again (json_encode)", printPhp(value)],
    ["parsed and printed again with two spaces", JSON.stringify(value, undefined, 2)],
    ["parsed and printed again with its members sorted", printSorted(value)],
    ["without what stands around its data", JSON.stringify(value.data)],
    ["in lower case", body.toLowerCase()],
    ["without the white space around it", body.trim()],
    ["as base64", Buffer.from(body).toString("base64")],
  ];
}

function hexOf(base64: string): string {
  return Buffer.from(base64, "base64").toString("hex");
}

/** An event whose signature has + and /, by which base64 and base64url differ: white space at its end is changed until it has. */
function textWithBoth(stage: Stage): string {
  const { text } = stage.event();
  for (let count = 0; count < TRIES_MAX; count++) {
    const candidate = text + " ".repeat(count);
    const signature = stage.sign(candidate);
    if (signature.includes("+") && signature.includes("/")) return candidate;
  }
  return text;
}

/** About one signature in four has both. */
const TRIES_MAX = 500;

function tamper(data: EventValue["data"]): EventValue["data"] {
  const amount = data["amount"];
  return { ...data, amount: typeof amount === "number" ? amount * 10 + 1 : 1 };
}
