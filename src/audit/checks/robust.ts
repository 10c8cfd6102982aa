import type { Check, Exchange, Verdict } from "../wire/check.js";
import {
  judgeAccepted,
  judgeAnswered,
  judgeRefused,
  mustAnswer,
  mustRefuse,
  silent,
  wireCheck,
  worst,
} from "../wire/judge.js";
import { post } from "../wire/stage.js";

/** The sandbox's finding about slow acknowledgements has the same limit. */
const SLOW_MS = 5000;
const LARGE_BODY_BYTES = 8 * 1024 * 1024;

const PARSE = "Verify first. Then parse in a try block, check the shape, and answer 400 to what you cannot read.";

/** Invalid requests, and how fast the answer comes. */
export const robustChecks: readonly Check[] = [
  wireCheck({
    id: "garbage",
    group: "robust",
    title: "garbage is refused, without a crash",
    severity: "high",
    why: "Code that parses before it verifies crashes on anything that anyone sends, which hides real errors.",
    fix: PARSE,
    isAboutCrashes: true,
    snippet: "read",
    // A receiver that prints the parsed body again, or verifies nothing, parses all bodies.
    follows: [
      "valid-event",
      "signature-wrong-secret",
      "signature-wrong-secret:accepted",
      "signature-missing",
      "signature-reprinted:accepted",
    ],
    send: (stage) => {
      const signature = stage.sign("another body");
      return [
        post(stage, "half an event, with a wrong signature", stage.event().text.slice(0, 40), { signature }),
        post(stage, "an empty body, with a wrong signature", "", { signature }),
        post(stage, "the body null, with a wrong signature", "null", { signature }),
        post(stage, "a body that is not UTF-8, with a wrong signature", NOT_UTF8, { signature }),
      ];
    },
    judge: mustRefuse,
  }),
  wireCheck({
    id: "content-type",
    group: "robust",
    title: "a forged event of another content type is refused, and none crashes the receiver",
    severity: "critical",
    why: "A framework that parses by content type leaves the body empty for other types. Code that relies on it crashes, or verifies nothing. A genuine event may be accepted or refused.",
    fix: "Read the raw body whatever its content type is, and verify it.",
    isAboutCrashes: true,
    snippet: "verify",
    follows: ["valid-event", "signature-wrong-secret"],
    send: (stage) => {
      const forged = (contentType: string) => {
        const { text } = stage.event();
        const signature = stage.sign(text, stage.ids.hex32());
        return post(stage, `a forged event as ${contentType}`, text, { contentType, signature });
      };
      const genuine = post(stage, GENUINE_AS_TEXT, stage.event().text, { contentType: "text/plain" });
      return [forged("text/plain"), forged("application/x-www-form-urlencoded"), genuine];
    },
    judge: (exchanges) =>
      worst(
        exchanges.map((exchange) =>
          exchange.request.sent === GENUINE_AS_TEXT ? lowerToHigh(judgeAnswered(exchange)) : judgeRefused(exchange),
        ),
      ),
  }),
  wireCheck({
    id: "large-body",
    group: "robust",
    title: "a body of 8 MiB does not bring the receiver down",
    severity: "high",
    why: "Anyone can fill the memory of a receiver that reads without a limit. Afterwards an ordinary event must be accepted as before.",
    fix: "Limit what you read (1 MiB is plenty), and answer 413 to more.",
    snippet: null,
    follows: ["valid-event"],
    turn: "alone",
    send: (stage) => {
      // Two events, so that the second is not a duplicate of the first.
      const [{ value }, { text }] = [stage.event(), stage.event()];
      // `JSON.stringify` takes a tenth of a second for so long a text.
      const large = `${JSON.stringify(value).slice(0, -1)},"auditFiller":"${"x".repeat(LARGE_BODY_BYTES)}"}`;
      return [post(stage, "a body of 8 MiB", large), post(stage, "an ordinary event after a body of 8 MiB", text)];
    },
    judge: judgeLarge,
  }),
  {
    id: "answer-time",
    group: "robust",
    title: "an ordinary event is answered within 5 s",
    severity: "warning",
    why: "The service waits for a bounded time. A receiver that does its work before it answers is sent the same event again while it is still busy with the first.",
    fix: "Store the event, answer 2xx, and do the work afterwards.",
    snippet: null,
    follows: ["valid-event"],
    turn: "alone",
    async run(stage) {
      const { ordinary } = stage;
      if (ordinary !== undefined && isSlow(ordinary)) return judgeTime(ordinary);
      return judgeTime(await stage.send(post(stage, "an ordinary event", stage.event().text)));
    },
  },
  wireCheck({
    id: "odd-json",
    group: "robust",
    title: "signed JSON that is not an event does not crash the receiver",
    severity: "warning",
    why: "null is JSON, and null.topic crashes. A receiver that crashes on one event may miss the next.",
    fix: PARSE,
    snippet: "read",
    follows: ["valid-event", "garbage"],
    turn: "last",
    send: (stage) => {
      const { text, value } = stage.event();
      return [
        post(stage, "half an event, rightly signed", text.slice(0, 40)),
        post(stage, "the body null, rightly signed", "null"),
        post(stage, "the body [], rightly signed", "[]"),
        post(stage, 'the body "text", rightly signed', '"text"'),
        post(stage, "an event without its data, rightly signed", JSON.stringify({ topic: value["topic"] ?? "" })),
      ];
    },
    judge: mustAnswer,
  }),
];

const GENUINE_AS_TEXT = "a genuine event as text/plain";
const NOT_UTF8 = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x22, 0x7d]);

/** A genuine event without an answer is less severe than an accepted forged one. */
function lowerToHigh(verdict: Verdict): Verdict {
  return verdict.outcome === "failed" ? { ...verdict, severity: "high" } : verdict;
}

/** Closing the connection on such a large body is an answer, as long as the next event is accepted. */
function judgeLarge([large, next]: readonly Exchange[]): Verdict {
  if (large === undefined || next === undefined) return { outcome: "skipped", reason: "it was not sent" };
  if (next.answer === null) return silent(next);
  if (large.answer !== null && large.answer.status >= 500) return judgeAnswered(large);
  return judgeAccepted(next);
}

function isSlow({ latencyMs }: Exchange): boolean {
  return latencyMs > SLOW_MS;
}

function judgeTime(exchange: Exchange): Verdict {
  if (exchange.answer === null) return silent(exchange);
  if (!isSlow(exchange)) return { outcome: "passed", exchange };
  const seen = `${exchange.request.sent} is answered after ${exchange.latencyMs} ms`;
  return { outcome: "failed", failing: "slow", seen, exchange };
}
