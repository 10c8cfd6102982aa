import type { SystemClock } from "../../kernel/time/system-clock.js";
import { whenAborted } from "./after-answer.js";

/** A reader with this many unread bytes is behind. */
const UNREAD_BYTES_MAX = 64 * 1024;

/** The most characters of an event: a hundred streams may each hold one in memory until it is read. */
const EVENT_CHARACTERS_MAX = 4 * 1024 * 1024;

/** After this time without events a comment is sent, so that no proxy takes the stream for ended; ms of real time. */
export const HEARTBEAT_MS = 15_000;

/** How soon a browser connects again, ms. */
const RECONNECT_MS = 1_000;

export interface EventSink {
  /** `data` is sent as one line of JSON. The stream ends instead if that has more than {@link EVENT_CHARACTERS_MAX}. */
  readonly send: (event: string, data: unknown) => void;
  /** Whether to wait until the reader has read more: everything unread is held in memory. */
  readonly isBehind: () => boolean;
  /** Calls `task` when the reader is no longer behind. Replaces an earlier `task`. */
  readonly whenRead: (task: () => void) => void;
  readonly end: () => void;
}

/**
 * A body of `text/event-stream`. Calls `begin` immediately, and the function that it returns once, when the stream is over: the reader left, `ended`
 * was aborted, or the sink was ended.
 */
export function createEventStream(
  system: Pick<SystemClock, "after">,
  ended: AbortSignal,
  begin: (sink: EventSink) => () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isOver = false;
  let afterRead: (() => void) | undefined;
  const stops: (() => void)[] = [];
  const finish = (): void => {
    isOver = true;
    for (const stop of stops.splice(0)) stop();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = (): void => {
          if (isOver) return;
          finish();
          controller.close();
        };
        const write = (text: string): void => {
          if (!isOver) controller.enqueue(encoder.encode(text));
        };
        const isBehind = (): boolean => (controller.desiredSize ?? 0) <= 0;
        let cancelHeartbeat = (): void => undefined;
        const scheduleHeartbeat = (): void => {
          cancelHeartbeat = system.after(HEARTBEAT_MS, () => {
            if (!isBehind()) write(": still here\n\n");
            if (!isOver) scheduleHeartbeat();
          });
        };
        write(`retry: ${RECONNECT_MS}\n\n`);
        scheduleHeartbeat();
        stops.push(() => cancelHeartbeat());
        const stop = begin({
          send: (event, data) => {
            const text = JSON.stringify(data);
            if (text.length > EVENT_CHARACTERS_MAX) end();
            else write(`event: ${event}\ndata: ${text}\n\n`);
          },
          isBehind,
          whenRead: (task) => (afterRead = task),
          end,
        });
        stops.push(stop, whenAborted(ended, end));
        // The stream may have ended during `begin`.
        if (isOver) finish();
      },
      pull() {
        const task = afterRead;
        afterRead = undefined;
        task?.();
      },
      cancel: finish,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: UNREAD_BYTES_MAX }),
  );
}

/** The headers of an answer with an event stream. */
export const eventStreamHeaders = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" };
