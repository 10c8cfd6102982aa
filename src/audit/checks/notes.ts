import type { Sender } from "../wire/sender.js";

/** What the receiver's operators should know although no check can fail because of it. */
export function notesOn({ protocol }: URL, { trace, cut }: Pick<Sender, "trace" | "cut">): readonly string[] {
  return [
    ...(protocol === "http:" ? [PLAIN_HTTP] : []),
    ...(trace === undefined ? [] : [`An answer shows a stack trace (to ${trace.request.sent}). ${NO_TRACES}`]),
    ...(cut === undefined
      ? []
      : [
          `A connection was cut (${cut.request.sent}), and the receiver answered when the request was sent again. ${CUT}`,
        ]),
    REPLAY,
  ];
}

const PLAIN_HTTP =
  "The receiver is called over plain http: anyone on the way reads the events and can send them again. In production, give the service an https URL.";
const NO_TRACES =
  "It shows strangers how the program works: turn off the framework's debug mode, and answer without a body.";
const CUT =
  "If the receiver does not restart by itself, find out why: the service takes such an event for lost, and sends it again only later.";
const REPLAY =
  "Replay is a residual risk: the contract signs no time, so an event that was seen once stays genuine for ever. Only an application that counts each event once is safe from it.";
