import type { Company } from "../../../sandbox/company/company.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { createEventStream, eventStreamHeaders } from "../../shared/event-stream.js";
import { headersFor } from "../../api/answer.js";
import { endOf } from "../../shared/after-answer.js";
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
    const body = createEventStream(sandbox.system, endOf(c), ({ send }) => {
      const stop = watch(sandbox, id, () => send("changed", null));
      return () => {
        open--;
        stop();
      };
    });
    return new Response(body, { headers: { ...headersFor(sandbox, undefined), ...eventStreamHeaders } });
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
