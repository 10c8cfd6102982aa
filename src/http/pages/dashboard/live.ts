import type { Company } from "../../../sandbox/company/company.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { createEventStream } from "../../control/event-stream.js";
import { answerJson } from "../../api/answer.js";
import type { HttpContext } from "../../shared/env.js";

/** Pages that are open at a time: what comes above that is not brought up to date. */
export const LIVE_MAX = 100;

/** However much happens, a page is told so at most once in so many ms of real time. */
const TICK_MS = 250;

/**
 * `changed`, with nothing in it, whenever something of a company has: a page that hears it asks for itself again. What has happened is told by
 * `GET /_sandbox/stream`, which a busy client would make far too much of for a page.
 */
export function createLive(sandbox: Sandbox): (c: HttpContext, company: Company) => Response {
  let open = 0;
  return (c, { id }) => {
    if (open >= LIVE_MAX) return new Response(null, { status: 429 });
    open++;
    const stopping = c.env?.stopping;
    const signals = stopping === undefined ? [c.req.raw.signal] : [c.req.raw.signal, stopping];
    const body = createEventStream(sandbox.system, signals, ({ send }) => {
      const stop = watch(sandbox, id, () => send("changed", null));
      return () => {
        open--;
        stop();
      };
    });
    const headers = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" };
    return new Response(body, { headers: answerJson(sandbox, undefined, 200, undefined, headers).headers });
  };
}

/** Until the returned function is called. */
function watch(sandbox: Sandbox, id: string, tell: () => void): () => void {
  let cancel: (() => void) | undefined;
  const note = (): void => {
    cancel ??= sandbox.system.after(TICK_MS, () => {
      cancel = undefined;
      tell();
    });
  };
  const stopRequests = sandbox.events.on("exchange", ({ exchange, companyId }) => {
    if (companyId !== id) return;
    note();
    exchange.onLost(note);
  });
  const stopChanges = sandbox.events.on("changed", ({ company }) => {
    if (company.id === id) note();
  });
  return () => {
    cancel?.();
    stopRequests();
    stopChanges();
  };
}
