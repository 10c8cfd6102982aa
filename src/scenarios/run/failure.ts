import { type SourcePosition, renderPosition } from "../../kernel/messages/problem.js";
import { type Mismatch, show } from "../../kernel/matchers.js";
import { oneLine, printable, shorten } from "../../kernel/messages/text.js";
import { type Style, plainStyle } from "../../kernel/messages/report.js";
import { type Redactor, redactPath } from "../../sandbox/observation/redact.js";
import type { Received } from "./receiver.js";
import type { Answer, Outgoing } from "./world.js";

/** How the result of a step differs from what was expected, with the details that show why. */
export interface FailureDetails {
  readonly message: string;
  readonly mismatches?: readonly Mismatch[];
  readonly request?: Outgoing;
  readonly answer?: Answer;
  /** When a webhook was missing or there was one too many: the webhooks that did come. */
  readonly received?: readonly Received[];
}

/** A failure with its place in the scenario. */
export interface Failure extends FailureDetails {
  /** `failure`: an expectation failed. `error`: the step could not run. */
  readonly kind: "failure" | "error";
  readonly step: string;
  readonly position: SourcePosition;
}

/** Thrown by a step. The runner adds the position. */
export class StepFailed extends Error {
  override readonly name = "StepFailed";
  readonly details: FailureDetails;

  constructor(details: FailureDetails) {
    super(details.message);
    this.details = details;
  }
}

/** Longer bodies and paths are cut: the message is for reading. */
const SHOWN_CHARACTERS_MAX = 2_000;
/** Further differences are only counted: there may be thousands, each with a path of thousands of characters. */
const MISMATCHES_MAX = 100;

/** Reports are kept and shared, so they show no secret. */
export function redactFailure(failure: Failure, redactor: Redactor): Failure {
  const { text, value, headers } = redactor;
  const { message, step, mismatches = [], request, answer, received } = failure;
  const shown = mismatches.slice(0, MISMATCHES_MAX);
  const of = shown.length < mismatches.length ? ` (the first ${shown.length} of ${mismatches.length} differences)` : "";
  return {
    ...failure,
    message: text(message) + of,
    step: text(step),
    ...(failure.mismatches && {
      mismatches: shown.map(({ path, expected, actual }) => ({
        path: shorten(text(shorten(path, 2 * SHOWN_CHARACTERS_MAX)), SHOWN_CHARACTERS_MAX),
        expected: text(expected),
        actual: value(actual),
      })),
    }),
    ...(request && {
      request: {
        method: request.method,
        path: redactPath(request.path, redactor),
        headers: headers(request.headers),
        body: request.body === undefined ? undefined : text(request.body),
      },
    }),
    ...(answer && { answer: { ...answer, headers: headers(answer.headers), body: value(answer.body) } }),
    ...(received && {
      received: received.map((webhook) => ({
        ...webhook,
        topic: text(webhook.topic),
        data: value(webhook.data),
        headers: headers(webhook.headers),
      })),
    }),
  };
}

const SHOWN_WEBHOOKS_MAX = 20;
const SUBSCRIPTION_HINT =
  "the runner's receiver is subscribed by given.webhooks without a url, or with the url ${receiver}";

/** Renders what went wrong, where, and everything that shows why, as a few lines of text. */
export function renderFailure(failure: Failure, style: Style = plainStyle): string {
  const { request, answer, received, mismatches = [] } = failure;
  const withBody = (line: string, body: string | undefined): string =>
    style.faint(body === undefined ? line : `${line} ${cut(body)}`);
  const answerBody = answer?.body === undefined ? undefined : show(answer.body);
  return [
    oneLine(renderPosition(failure.position, failure.step)),
    printable(failure.message),
    ...mismatches.flatMap((mismatch) => renderMismatch(mismatch, style)),
    ...(request === undefined
      ? []
      : [withBody(`  request  ${request.method} ${printable(request.path)}`, request.body)]),
    ...(answer === undefined ? [] : [withBody(`  answer   ${answer.status}`, answerBody)]),
    ...(received === undefined ? [] : renderReceived(received, style)),
  ].join("\n");
}

function renderMismatch({ path, expected, actual }: Mismatch, style: Style): string[] {
  return [
    `  ${printable(path) || "(all of it)"}`,
    style.good(`    - expected ${cut(expected)}`),
    style.bad(`    + received ${cut(show(actual))}`),
  ];
}

function renderReceived(received: readonly Received[], style: Style): string[] {
  if (received.length === 0) return [style.faint(`  no webhook came at all: ${SUBSCRIPTION_HINT}`)];
  const shown = received.slice(0, SHOWN_WEBHOOKS_MAX).map(({ topic, data, genuine }) => {
    const mark = genuine ? "" : "WRONG SIGNATURE ";
    return style.faint(`    ${mark}${oneLine(topic)} ${cut(show(data))}`);
  });
  const more = received.length - shown.length;
  return [style.faint("  webhooks that came:"), ...shown, ...(more > 0 ? [style.faint(`    … and ${more} more`)] : [])];
}

function cut(text: string): string {
  return printable(shorten(text, SHOWN_CHARACTERS_MAX));
}
