import type { SystemClock } from "../../kernel/system-clock.js";
import type { ReleaseGate } from "../../sandbox/delivery/release-gate.js";
import type { HttpContext } from "./env.js";
import { isClosed, whenAborted, whenClosed, whenLost } from "./when-closed.js";

export interface AnswerGate extends ReleaseGate {
  /** What the answer has to wait for (a rule's `before: "response"`); undefined when it may leave, which is nearly always. */
  ready(): Promise<unknown> | undefined;
}

/**
 * "Deliveries start when the API's answer has been written": a receiver never hears of a charge before its creator does. Without a socket
 * the answer is written when it is returned, which is when `returned` resolves. What happened is told also when the client has gone without waiting
 * for its answer.
 */
export function afterAnswer(c: HttpContext, system: SystemClock, returned?: Promise<void>): AnswerGate {
  const awaited: Promise<unknown>[] = [];
  return {
    before: (attempts) => void awaited.push(attempts),
    ready: () => (awaited.length === 0 ? undefined : whileWaitedFor(c, Promise.all(awaited))),
    after: (release) => {
      const { incoming, outgoing } = c.env ?? {};
      if (incoming === undefined || outgoing === undefined) {
        void Promise.resolve(returned)
          .then(() => system.breathe())
          .then(release);
      } else if (isClosed(incoming, outgoing)) void system.breathe().then(release);
      else whenClosed(incoming, outgoing, release);
    },
  };
}

/** Ends early when the client has left, and when the server stops: then whoever still waits gets the answer at once. */
async function whileWaitedFor(c: HttpContext, attempts: Promise<unknown>): Promise<void> {
  const stops: (() => void)[] = [];
  const { stopping } = c.env ?? {};
  await new Promise<void>((resolve) => {
    void attempts.then(() => resolve());
    stops.push(whenLost(c, resolve));
    if (stopping !== undefined) stops.push(whenAborted(stopping, resolve));
  });
  for (const stop of stops) stop();
}
