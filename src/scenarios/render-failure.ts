import { renderPosition } from "../kernel/problem.js";
import type { Failure } from "./failure.js";
import { type Mismatch, show } from "../kernel/matchers.js";
import { oneLine, printable } from "../kernel/printable.js";
import type { Received } from "./receiver.js";
import type { Answer, Outgoing } from "./world.js";

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
