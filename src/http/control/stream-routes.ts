import { answerJson } from "../api/answer.js";
import type { CompanyCall, ControlRoute } from "./control-route.js";
import { createEventStream } from "./event-stream.js";
import { followCompany } from "./follow-company.js";

/** At a time, of one sandbox: each renders all that happens once more. */
export const STREAMS_MAX = 100;

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Of a proxy that would wait for the end.
  "x-accel-buffering": "no",
};

/**
 * GET /_sandbox/stream, "server-sent events: requests, events, deliveries, clock": `request`, `event`, `delivery` and `clock`, each with the JSON that the list
 * of its kind shows. It ends when the company is removed or the sandbox closes.
 */
export function streamRoutes(): readonly ControlRoute[] {
  let open = 0;
  const stream = ({ sandbox, company, signal, stopping, refuse }: CompanyCall): Response => {
    if (open >= STREAMS_MAX) {
      const why = `There are ${STREAMS_MAX} streams already, which is the most. Close one.`;
      return refuse({ status: 429, messages: [why] });
    }
    open++;
    const signals = stopping === undefined ? [signal] : [signal, stopping];
    const body = createEventStream(sandbox.system, signals, ({ send, end }) => {
      const stop = followCompany(sandbox, company.id, { hear: ({ kind, data }) => send(kind, data), end });
      return () => {
        open--;
        stop();
      };
    });
    return new Response(body, { headers: answerJson(sandbox, company, 200, undefined, headers).headers });
  };
  return [{ method: "GET", path: "/stream", company: "selected", handle: stream }];
}
