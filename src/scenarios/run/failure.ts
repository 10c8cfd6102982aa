import { type SourcePosition, renderPosition } from "../../kernel/problem.js";
import { type Mismatch, show } from "../../kernel/matchers.js";
import { oneLine, printable } from "../../kernel/printable.js";
import type { Received } from "./receiver.js";
import type { Answer, Outgoing } from "./world.js";

/** What a step found to be otherwise than expected, with all that a reader needs to see why. */
export interface FailureDetails {
  readonly message: string;
  readonly mismatches?: readonly Mismatch[];
  readonly request?: Outgoing;
  readonly answer?: Answer;
  /** When a webhook was missing or one too many: those that did come. */
  readonly received?: readonly Received[];
}

/** Where it stands in the story. */
export interface Failure extends FailureDetails {
  /** `failure`: an expectation was not met. `error`: the step could not be done at all. */
  readonly kind: "failure" | "error";
  readonly step: string;
  readonly position: SourcePosition;
}

/** Thrown by a step; the runner adds where. */
export class StepFailed extends Error {
  override readonly name = "StepFailed";
  readonly details: FailureDetails;

  constructor(details: FailureDetails) {
    super(details.message);
    this.details = details;
  }
}

/** Longer bodies are cut: the message is for reading. */
const SHOWN_CHARACTERS_MAX = 2_000;
const SHOWN_WEBHOOKS_MAX = 20;
const WHO_IS_TOLD = "the runner's receiver is subscribed by given.webhooks without a url, or with the url ${receiver}";

export interface Paint {
  readonly expected: (text: string) => string;
  readonly actual: (text: string) => string;
  readonly faint: (text: string) => string;
}

export const plain: Paint = { expected: (text) => text, actual: (text) => text, faint: (text) => text };

/** What went wrong, where, and everything needed to see why: a few lines of text. */
export function renderFailure(failure: Failure, paint: Paint = plain): string {
  const lines = [
    oneLine(renderPosition(failure.position, failure.step)),
    printable(failure.message),
    ...(failure.mismatches ?? []).flatMap((mismatch) => renderMismatch(mismatch, paint)),
    ...(failure.request === undefined ? [] : renderRequest(failure.request, paint)),
    ...(failure.answer === undefined ? [] : renderAnswer(failure.answer, paint)),
    ...(failure.received === undefined ? [] : renderReceived(failure.received, paint)),
  ];
  return lines.join("\n");
}

function renderMismatch({ path, expected, actual }: Mismatch, paint: Paint): string[] {
  return [
    `  ${printable(path) || "(all of it)"}`,
    paint.expected(`    - expected ${cut(expected)}`),
    paint.actual(`    + received ${cut(show(actual))}`),
  ];
}

function renderRequest({ method, path, body }: Outgoing, paint: Paint): string[] {
  return [paint.faint(`  request  ${method} ${printable(path)}${body === undefined ? "" : ` ${cut(body)}`}`)];
}

function renderAnswer({ status, body }: Answer, paint: Paint): string[] {
  return [paint.faint(`  answer   ${status}${body === undefined ? "" : ` ${cut(show(body))}`}`)];
}

function renderReceived(received: readonly Received[], paint: Paint): string[] {
  if (received.length === 0) return [paint.faint(`  no webhook came at all: ${WHO_IS_TOLD}`)];
  const shown = received.slice(0, SHOWN_WEBHOOKS_MAX).map(({ topic, data, genuine }) => {
    const mark = genuine ? "" : "WRONG SIGNATURE ";
    return paint.faint(`    ${mark}${oneLine(topic)} ${cut(show(data))}`);
  });
  const more = received.length - shown.length;
  return [paint.faint("  webhooks that came:"), ...shown, ...(more > 0 ? [paint.faint(`    … and ${more} more`)] : [])];
}

function cut(text: string): string {
  return printable(text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text);
}

/** Why something failed, in words: of a failed connection the cause, which is where the reason stands. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // One for each address of a name that was tried; their own text is empty.
  if (error instanceof AggregateError && error.errors.length > 0)
    return [...new Set(error.errors.map(reasonOf))].join("; ");
  const own = error.message === "" ? error.name : error.message;
  return error.cause instanceof Error ? `${own}: ${reasonOf(error.cause)}` : own;
}
