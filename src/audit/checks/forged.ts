import type { Check, Stage, Verdict } from "../wire/check.js";
import { mustRefuse, warnUnlessForged, type WireCheck, wireCheck } from "../wire/judge.js";
import { differsInBase64url, post, type Signature } from "../wire/stage.js";
import { signedFormsOf, tamper } from "./body-forms.js";
import { judgeTopics, unsignedOfTopics } from "./topics.js";

const COMPARE =
  "Compute the base64 of the HMAC-SHA256 of the raw body, and compare the whole header with it, in constant time.";

const EMPTY_SECRETS = ["", "undefined", "null", "None"];

/** Where other services put their signatures, and headers with similar names. */
const OTHER_HEADERS = [
  "x-hmac-sha256",
  "x-hmac",
  "x-hmac-signature",
  "x-service-hmac",
  "x-service-hmac-sha-256",
  "x-service-signature",
  "x-signature",
  "x-signature-256",
  "x-signature-sha256",
  "x-hub-signature",
  "x-hub-signature-256",
  "x-payload-signature",
  "x-webhook-hmac-sha256",
  "x-webhook-signature",
  "webhook-signature",
  "signature",
];

export function otherHeadersFor({ header }: Pick<Stage, "header">): readonly string[] {
  return OTHER_HEADERS.filter((name) => name !== header.toLowerCase());
}

const SEEN = "an ordinary event";
const FORGED_URL = "an event with a made-up signature in base64url";
const FORGED_SPACE = "an event whose signature is a no-break space";
const FORGED_TWICE = "an event with two wrong signatures";

/** Events without the right signature. The contract: "If equal the payload is authentic; otherwise the request is to be rejected." */
export const forgedChecks: readonly Check[] = [
  forged({
    id: "signature-missing",
    title: "an event without a signature is refused",
    severity: "critical",
    why: "Verification is skipped when the header is missing. Anyone who knows the address can report a payment by leaving it out.",
    fix: "Refuse with 401 when the header is missing, before anything else.",
    send: signed({ "an event without a signature": () => null }),
  }),
  forged({
    id: "signature-wrong-secret",
    title: "a signature under another secret is refused",
    severity: "critical",
    why: "The signature is not compared, or it is read from another header. Anyone who knows the address can report payments that nobody made.",
    fix: COMPARE,
    send: signed({
      "an event signed with another secret": (_, body, stage) => signWrongly(stage, body),
      "an event with a made-up signature": () => `${"A".repeat(43)}=`,
    }),
  }),
  topics(),
  oldSecret(),
  forged({
    id: "signature-empty-secret",
    title: "a signature under an empty secret is refused",
    severity: "critical",
    why: 'A secret that was not configured is "", "undefined" or "None" to the code that uses it. Genuine events are refused, and anyone can sign forged ones.',
    fix: "Refuse to start without the secret key.",
    send: (stage) =>
      EMPTY_SECRETS.filter((secret) => stage.sign("", secret) !== stage.sign("")).map((secret) => {
        const { text } = stage.event();
        const signature = stage.sign(text, secret);
        return post(stage, `an event signed with the secret "${secret}"`, text, { signature });
      }),
  }),
  forged({
    id: "body-changed",
    title: "a body that was changed after it was signed is refused",
    severity: "critical",
    why: "The signature is not of the whole body, so anyone who has seen one event can report any amount.",
    fix: "Hash all bytes of the body.",
    send: (stage) => {
      const [fresh, seen] = [stage.event(), stage.event()];
      const signed = ({ text }: typeof fresh) => ({ signature: stage.sign(text) });
      return [
        post(stage, "an event whose amount was changed after it was signed", tamper(fresh.value), signed(fresh)),
        // A receiver may remember which signatures are right, but not for which body.
        post(stage, SEEN, seen.text, signed(seen)),
        post(
          stage,
          "an event whose amount was changed, under a signature seen before",
          tamper(seen.value),
          signed(seen),
        ),
      ];
    },
    judge: (exchanges) => mustRefuse(exchanges.filter(({ request }) => request.sent !== SEEN)),
  }),
  forged({
    id: "signature-empty",
    title: "an empty signature is refused",
    severity: "critical",
    why: "An empty string is false in most languages, so `if (signature && …)` accepts it. Every string also starts with it.",
    fix: "Refuse an empty header like a missing one.",
    follows: ["signature-missing", "signature-prefix:accepted", "signature-suffix:accepted", "signature-length"],
    send: signed({ "an event with an empty signature": () => "" }),
  }),
  forged({
    id: "signature-prefix",
    title: "a part of the signature, or more than it, is refused",
    severity: "critical",
    why: "A comparison that stops early (startsWith, includes, the shorter length) accepts a signature of one character. A few dozen tries forge any event.",
    fix: COMPARE,
    follows: ["signature-suffix:accepted", "signature-base64url:accepted", "signature-length"],
    send: signed({
      "an event with the first half of its signature": (right) => right.slice(0, 22),
      "an event with the first character of its signature": (right) => right.slice(0, 1),
      "an event with more than its signature": (right) => `${right}AAAA`,
      "an event with something before its signature": (right) => `AAAA${right}`,
    }),
  }),
  forged({
    id: "signature-suffix",
    title: "the end of the signature is refused",
    severity: "critical",
    why: "A comparison of the end only (endsWith, the last characters) accepts a signature that is easy to guess: every one ends with =.",
    fix: COMPARE,
    follows: ["signature-length"],
    send: signed({
      "an event with the last character of its signature": (right) => right.slice(-1),
      "an event with the last eight characters of its signature": (right) => right.slice(-8),
      "an event with its signature but for the first character": (right) => right.slice(1),
    }),
  }),
  forged({
    id: "signature-hex",
    title: "the signature in hex is refused",
    why: "The contract says base64. A receiver that compares hex refuses every genuine event; one that accepts both has an untested way in.",
    fix: 'Encode as base64: `digest("base64")`, not `digest("hex")`.',
    follows: ["signature-length"],
    send: signed({
      "an event whose signature is in hex": hexOf,
      // base64_encode(hash_hmac('sha256', …)) of PHP.
      "an event whose signature is the base64 of its hex": (right) => btoa(hexOf(right)),
      "an event whose signature is in capital hex": (right) => hexOf(right).toUpperCase(),
      "an event whose signature is sha256= and hex": (right) => `sha256=${hexOf(right)}`,
    }),
  }),
  forged({
    id: "signature-base64url",
    title: "the signature in base64url is refused",
    severity: "warning",
    why: "Code that decodes the header before it compares accepts many texts as the same signature: base64url, white space, garbage in between. Two systems may then disagree whether an event is genuine.",
    fix: "Compare the texts themselves, without decoding.",
    follows: ["signature-suffix:accepted", "signature-length"],
    send: (stage) => {
      const text = textWithBoth(stage);
      const url = stage.sign(text).replaceAll("+", "-").replaceAll("/", "_");
      const bare = url.replace(/=+$/, "");
      return [
        post(stage, "an event whose signature is in base64url", text, { signature: url }),
        post(stage, "an event whose signature is in base64url without padding", text, { signature: bare }),
        post(stage, FORGED_URL, text, { signature: "-_".repeat(21) }),
      ];
    },
    judge: warnUnlessForged((sent) => sent === FORGED_URL),
  }),
  forged({
    id: "signature-case",
    title: "the signature in another case is refused",
    why: "In base64, A and a are different. A comparison that ignores case accepts billions of wrong signatures.",
    fix: COMPARE,
    // If only a part of the signature is compared, that part may contain no letter whose case changes.
    follows: ["signature-suffix:accepted", "signature-prefix:accepted"],
    send: signed({
      "an event whose signature is in lower case": (right) => right.toLowerCase(),
      "an event whose signature is in upper case": (right) => right.toUpperCase(),
    }),
  }),
  forged({
    id: "signature-white-space",
    title: "a signature with white space in it or behind it is refused",
    severity: "warning",
    // A plain space or tab at the end never reaches an application: HTTP parsers remove it (RFC 9110, 5.5). A no-break space reaches it, and so does a
    // space in the middle.
    why: "Code that trims or decodes the header accepts many texts as the same signature. Two systems may then disagree whether an event is genuine.",
    fix: "Compare the header as it is: no trim, no decoding.",
    follows: [
      "signature-suffix:accepted",
      "signature-base64url:accepted",
      "signature-prefix:accepted",
      "signature-not-ascii",
      "signature-length",
    ],
    send: signed({
      "an event with a space in its signature": (right) => `${right.slice(0, 20)} ${right.slice(20)}`,
      "an event whose signature ends with a no-break space": (right) => `${right}\u00A0`,
      [FORGED_SPACE]: () => "\u00A0",
    }),
    judge: warnUnlessForged((sent) => sent === FORGED_SPACE),
  }),
  forged({
    id: "signature-reprinted",
    title: "the signature of another form of the body is refused",
    why: "The body is parsed and printed again, or changed otherwise, before it is hashed. So genuine events in other bytes are refused, and what the parser drops is not protected.",
    fix: "Verify the raw bytes of the request: express.raw(), request.get_data(), php://input. Parse afterwards.",
    send: (stage) => {
      const { body, forms } = signedFormsOf(stage.event().value);
      return forms.map(([form, text]) =>
        post(stage, `an event with the signature of its body ${form}`, body, { signature: stage.sign(text) }),
      );
    },
  }),
  forged({
    id: "signature-two",
    title: "two signatures are refused",
    severity: "warning",
    why: "A proxy may read one value and the application the other.",
    fix: "Refuse a request that has the header more than once.",
    follows: [
      "signature-suffix:accepted",
      "signature-prefix:accepted",
      "signature-base64url:accepted",
      // A receiver that reads the raw list of headers finds the first of two.
      "header-case:unequal",
      "signature-length",
    ],
    send: signed({
      "an event with its signature and a wrong one": (right, body, stage) => [right, signWrongly(stage, body)],
      "an event with a wrong signature and its own": (right, body, stage) => [signWrongly(stage, body), right],
      [FORGED_TWICE]: (_, body, stage) => [signWrongly(stage, body), signWrongly(stage, body)],
    }),
    judge: warnUnlessForged((sent) => sent === FORGED_TWICE),
  }),
  forged({
    id: "signature-other-header",
    title: "a signature in another header is refused",
    why: "A receiver that reads a header that the service never sends refuses every genuine event, or verifies none.",
    fix: "Read the header that the contract names, and no other.",
    follows: ["signature-missing"],
    send: (stage) => {
      const { text } = stage.event();
      const request = post(stage, "an event with its signature in other headers", text, { signature: null });
      const lines = otherHeadersFor(stage).map((name) => [name, stage.sign(text)] as const);
      return [{ ...request, headers: [...request.headers, ...lines] }];
    },
  }),
  forged({
    id: "signature-length",
    title: "a signature of another length is refused, without a crash",
    why: "timingSafeEqual throws when lengths differ. Anyone can make the receiver fail as often as they like, which hides real errors.",
    fix: "Compare the lengths first, then the bytes.",
    isAboutCrashes: true,
    send: signed({
      "an event with a signature of four characters": () => "zzzz",
      "an event with a signature of 200 characters": () => "z".repeat(200),
    }),
  }),
  forged({
    id: "signature-not-ascii",
    title: "a signature beyond ASCII is refused, without a crash",
    severity: "warning",
    why: "hmac.compare_digest of Python throws for text that is not ASCII. Anyone can make the receiver fail as often as they like, which hides real errors.",
    fix: "Compare bytes, not text: encode the header first.",
    isAboutCrashes: true,
    follows: ["signature-length"],
    send: signed({ "an event with a signature that is not ASCII": () => `${"é".repeat(43)}=` }),
  }),
];

type Forged = Pick<WireCheck, "id" | "title" | "why" | "fix" | "send" | "isAboutCrashes"> &
  Partial<Pick<WireCheck, "severity" | "follows" | "judge">>;

/** Skipped when the user has named the topic or given the event. */
function topics(): Check {
  const check = forged({
    id: "signature-topics",
    title: "an event without a signature is refused, whatever its topic",
    severity: "critical",
    why: "If verification depends on the topic, other topics are open. Anyone who knows the address can report payments or payouts that nobody made.",
    fix: "Verify every request first. Only then look at its topic.",
    follows: ["signature-missing"],
    send: unsignedOfTopics,
    judge: judgeTopics,
  });
  return onlyIf(check, ({ eventOf }) => eventOf !== undefined, "the topic was named, or the event was given");
}

/** Of several processes behind one address, one may still have the old key. A load balancer sends it some of the requests. */
const OLD_SECRET_TIMES = 20;

/** Skipped without `--old-secret`. */
function oldSecret(): Check {
  const sendOld = signed({
    "an event signed with the old secret key": (_, body, stage) => stage.sign(body, stage.oldSecret),
  });
  const check = forged({
    id: "signature-old-secret",
    title: "a signature under the secret key before the rotation is refused",
    severity: "critical",
    why: "A key is rotated because others may know it. While the receiver accepts it, they can forge events.",
    fix: "Verify with the new key alone, and restart processes that still have the old one.",
    send: (stage) => Array.from({ length: OLD_SECRET_TIMES }, () => sendOld(stage)).flat(),
  });
  return onlyIf(check, (stage) => stage.oldSecret !== undefined, "no old secret key was given (--old-secret)");
}

function onlyIf(check: Check, isAsked: (stage: Stage) => boolean, reason: string): Check {
  const skipped: Verdict = { outcome: "skipped", reason, isNotRequested: true };
  return { ...check, run: async (stage) => (isAsked(stage) ? check.run(stage) : skipped) };
}

/** A receiver that checks no signature fails all of these for one reason. */
function forged({ severity = "high", follows = [], ...info }: Forged): Check {
  const root = info.id === "signature-wrong-secret" ? [] : ["signature-wrong-secret"];
  return wireCheck({
    ...info,
    group: "forged",
    severity,
    snippet: "verify",
    follows: ["valid-event", ...root, ...follows],
    judge: info.judge ?? mustRefuse,
  });
}

type SignatureOf = (right: string, body: string, stage: Stage) => Signature;

/** Sends an ordinary event for each signature. The keys say what is special about each request. */
function signed(signatures: Readonly<Record<string, SignatureOf>>): WireCheck["send"] {
  return (stage) =>
    Object.entries(signatures).map(([sent, signatureOf]) => {
      const { text } = stage.event();
      return post(stage, sent, text, { signature: signatureOf(stage.sign(text), text, stage) });
    });
}

function signWrongly(stage: Stage, body: string): string {
  return stage.sign(body, stage.ids.hex32());
}

export function hexOf(base64: string): string {
  return Buffer.from(base64, "base64").toString("hex");
}

/**
 * An event whose signature differs in base64url within its first characters, so that a comparison of the beginning is not mistaken for a decoder. White
 * space is added at the end until it does.
 */
function textWithBoth(stage: Stage): string {
  const { text } = stage.event();
  for (let count = 0; count < TRIES_MAX; count++) {
    const candidate = text + " ".repeat(count);
    if (differsInBase64url(stage.sign(candidate).slice(0, 10))) return candidate;
  }
  return text;
}

/** About one signature in fifty differs within its first characters. */
const TRIES_MAX = 1000;
