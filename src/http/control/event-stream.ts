import type { SystemClock } from "../../kernel/system-clock.js";

/** Who reads so slowly that this much waits for it, characters, is let go, and that is thrown away: a browser connects again by itself. */
const UNREAD_MAX = 8 * 1024 * 1024;

/** A comment, so that whoever is in between does not take silence for the end, ms of real time. */
export const HEARTBEAT_MS = 15_000;

/** How soon a browser connects again, ms. */
const RECONNECT_MS = 1_000;

export interface EventSink {
  /** `data` goes as one line of JSON. */
  readonly send: (event: string, data: unknown) => void;
  readonly end: () => void;
}

/**
 * A body of `text/event-stream`. `begin` is called at once; what it returns is called once when that is over, by whichever side: the reader left,
 * `signals` said so, it was ended, or it was read too slowly.
 */
export function createEventStream(
  system: Pick<SystemClock, "after">,
  signals: readonly AbortSignal[],
  begin: (sink: EventSink) => () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let over = (): void => undefined;
  // Not in the stream's own queue, which is kept until somebody reads it.
  let unread = "";
  let isAwaited = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let isOver = false;
        let stopBeating = (): void => undefined;
        let stopFollowing = (): void => undefined;
        const end = (): void => {
          if (isOver) return;
          over();
          if (unread !== "") controller.enqueue(encoder.encode(unread));
          unread = "";
          controller.close();
        };
        over = () => {
          if (isOver) return;
          isOver = true;
          stopBeating();
          stopFollowing();
          for (const signal of signals) signal.removeEventListener("abort", end);
        };
        const write = (text: string): void => {
          if (isOver) return;
          if (isAwaited) controller.enqueue(encoder.encode(text));
          else unread += text;
          isAwaited = false;
          if (unread.length <= UNREAD_MAX) return;
          unread = "";
          end();
        };
        const beat = (): void => {
          stopBeating = system.after(HEARTBEAT_MS, () => {
            write(": still here\n\n");
            if (!isOver) beat();
          });
        };
        for (const signal of signals) signal.addEventListener("abort", end);
        write(`retry: ${RECONNECT_MS}\n\n`);
        beat();
        const send = (event: string, data: unknown): void =>
          write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
        stopFollowing = begin({ send, end });
        // What ended it may have happened before it began.
        if (isOver) stopFollowing();
        else if (signals.some(({ aborted }) => aborted)) end();
      },
      pull(controller) {
        isAwaited = unread === "";
        if (!isAwaited) controller.enqueue(encoder.encode(unread));
        unread = "";
      },
      cancel: () => over(),
    },
    { highWaterMark: 0 },
  );
}
