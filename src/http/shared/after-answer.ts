import type { SystemClock } from "../../kernel/time/system-clock.js";
import type { ReleaseGate } from "../../sandbox/company/release-gate.js";
import type { HttpContext } from "./env.js";

type Stop = () => void;

/** Calls `listener` once: when the answer is written, or when the client has left without it (`lost`). The returned function cancels. */
export function whenAnswered(c: HttpContext, listener: (lost: boolean) => void): Stop {
  const { incoming, outgoing } = c.env ?? {};
  if (incoming === undefined || outgoing === undefined) return whenAborted(c.req.raw.signal, () => listener(true));
  // An answer that is queued behind others of its connection gets no event when that connection closes.
  const emitters = [outgoing, incoming.socket];
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    for (const emitter of emitters) emitter.off("close", end);
  };
  const end = (): void => {
    // The answer closes while its connection emits "close", and this emission still calls the listeners that are removed meanwhile.
    if (isOver) return;
    stop();
    listener(!outgoing.writableFinished);
  };
  if (outgoing.closed || incoming.socket.destroyed) end();
  else for (const emitter of emitters) emitter.once("close", end);
  return stop;
}

/** Calls `listener` once when the signal is aborted, immediately when it was aborted before. The returned function cancels. */
export function whenAborted(signal: AbortSignal | undefined, listener: () => void): Stop {
  if (signal?.aborted === true) listener();
  else signal?.addEventListener("abort", listener, { once: true });
  return () => signal?.removeEventListener("abort", listener);
}

/** Resolves when one of `sources` calls `end`, or earlier when the client leaves or the server stops. */
export function waitWithClient(
  c: HttpContext,
  ...sources: readonly ((end: () => void) => Stop | void)[]
): Promise<void> {
  return new Promise((resolve) => {
    let isOver = false;
    const stops: (Stop | void)[] = [];
    const end = (): void => {
      isOver = true;
      for (const stop of stops) stop?.();
      resolve();
    };
    const all = [
      (ended: () => void) => whenAnswered(c, ended),
      (ended: () => void) => whenAborted(c.env?.stopping, ended),
      ...sources,
    ];
    for (const source of all) if (!isOver) stops.push(source(end));
  });
}

export interface AnswerGate extends ReleaseGate {
  /** What the answer has to wait for (a rule's `before: "response"`); undefined when it may be sent. */
  ready(): Promise<unknown> | undefined;
}

/**
 * Deliveries start when the answer has been written, so that no receiver learns of a charge before its creator does. They also start when the client
 * has left. Without a socket the answer counts as written when it is returned, which is when `returned` resolves.
 */
export function afterAnswer(c: HttpContext, system: SystemClock, returned?: Promise<void>): AnswerGate {
  const awaited: Promise<unknown>[] = [];
  return {
    before: (attempts) => void awaited.push(attempts),
    ready() {
      if (awaited.length === 0) return undefined;
      return waitWithClient(c, (end) => void Promise.all(awaited).then(end));
    },
    after(release) {
      if (c.env?.outgoing !== undefined) whenAnswered(c, release);
      else
        void Promise.resolve(returned)
          .then(() => system.yieldToEventLoop())
          .then(release);
    },
  };
}

/** Aborted when the client has left or the server begins to stop. */
export function endOf(c: HttpContext): AbortSignal {
  const { signal } = c.req.raw;
  const { stopping } = c.env ?? {};
  return stopping === undefined ? signal : AbortSignal.any([signal, stopping]);
}
