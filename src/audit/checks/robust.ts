import type { Exchange, Verdict } from "../check.js";
import { firstFailure, judgeRefused, mustAccept, mustAnswer, post, silent } from "../stage.js";
import type { NamedWireCheck } from "./accepted.js";

/** "an acknowledgement slower than 5 s" is a finding of the sandbox. */
export const SLOW_MS = 5000;
export const LARGE_BODY_BYTES = 8 * 1024 * 1024;

const PARSE = "Parse inside of a try, check the shape, and answer 400 to what you cannot read.";

/** What is signed rightly and still not as expected, and how fast the answer comes. */
export const robustChecks: readonly NamedWireCheck[] = [
  {
    id: "garbage-body",
    title: "a body that is no JSON is refused, without a crash",
    severity: "high",
    why: "A 500 makes the service send the same garbage again and again; a 2xx says that it was taken care of, and the event is lost.",
    fix: PARSE,
    snippet: "read",
    requests: 3,
    send: (stage) => [
      post(stage, "a signed body that is cut off", stage.event().text.slice(0, 40)),
      post(stage, "an empty body, signed", ""),
      post(stage, "a signed body that is not UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x22, 0x7d])),
    ],
    judge: (exchanges) => firstFailure(exchanges, (exchange) => judgeRefused(exchange)),
  },
  {
    id: "odd-json",
    title: "JSON that is no event does not crash the receiver",
    severity: "high",
    why: "null is JSON, and null.topic is a crash. What crashes on one event may not answer the next.",
    fix: PARSE,
    snippet: "read",
    follows: { crashed: ["garbage-body"] },
    requests: 4,
    send: (stage) =>
      ["null", "[]", '"text"', `{"topic":${JSON.stringify(stage.event().value.topic)}}`].map((body) =>
        post(stage, `the signed body ${body}`, body),
      ),
    judge: mustAnswer,
  },
  {
    id: "content-type",
    title: "another content type does not crash the receiver",
    severity: "warning",
    why: "A framework that parses by content type leaves the body empty for another one, and code that counts on it crashes. Accepting and refusing are both fine.",
    fix: "Read the raw body whatever its content type is.",
    snippet: "verify",
    requests: 2,
    send: (stage) =>
      ["text/plain", "application/x-www-form-urlencoded"].map((contentType) =>
        post(stage, `a genuine event as ${contentType}`, stage.event().text, { contentType }),
      ),
    judge: mustAnswer,
  },
  {
    id: "large-body",
    title: "a body of 8 MiB does not bring the receiver down",
    severity: "high",
    why: "Whoever reads without a limit can be filled up by anybody. Afterwards an ordinary event must be accepted as before.",
    fix: "Limit what you read (a few hundred kB is plenty), and answer 413 beyond.",
    snippet: null,
    follows: { refused: ["valid-event"] },
    requests: 2,
    send: (stage) => {
      const { value } = stage.event();
      const large = JSON.stringify({ ...value, auditFiller: "x".repeat(LARGE_BODY_BYTES) });
      return [post(stage, "a body of 8 MiB", large), post(stage, "an ordinary event after a body of 8 MiB", stage.event().text)];
    },
    judge: judgeLarge,
  },
  {
    id: "slow-sender",
    title: "an event that arrives in small pieces is accepted",
    severity: "warning",
    why: "A body comes in as many pieces as the network likes. Who takes the first for the whole refuses, or reads half an event.",
    fix: "Read to the end of the body before you verify.",
    snippet: "verify",
    requests: 1,
    send: (stage) => {
      const { text } = stage.event();
      const cuts = [1, 2, Math.floor(text.length / 2), text.length - 1];
      return [post(stage, "an event that arrives in five pieces", text, { cuts })];
    },
    judge: mustAccept,
  },
];

/** A connection that is closed on a body so large is an answer too, as long as the next event is accepted. */
function judgeLarge([large, next]: readonly Exchange[]): Verdict {
  if (large === undefined || next === undefined) return { outcome: "skipped", reason: "it was not sent" };
  if (next.answer === null) return silent(next);
  if (large.answer !== null && large.answer.status >= 500) return judgeRefused(large);
  return mustAccept([next]);
}

/** The check of how long answers took. It sends nothing but an ordinary event: what counts is the slowest of all that were accepted. */
export function answerTime(slowMs: number, slowest: () => Exchange | undefined): NamedWireCheck {
  return {
    id: "answer-time",
    title: "answers come in time",
    severity: "warning",
    why: "The service waits for a bounded time. A receiver that does its work before it answers is sent the same event again while it is still busy with the first.",
    fix: "Store the event, answer 2xx, and do the work afterwards.",
    snippet: null,
    requests: 1,
    send: (stage) => [post(stage, "an ordinary event", stage.event().text)],
    judge: () => {
      const exchange = slowest();
      if (exchange === undefined || exchange.latencyMs <= slowMs) return { outcome: "passed", exchange };
      const seen = `${exchange.request.sent} was answered after ${exchange.latencyMs} ms, more than ${slowMs} ms`;
      return { outcome: "failed", failing: "slow", seen, exchange };
    },
  };
}
