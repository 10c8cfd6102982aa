import type { Company } from "../../../sandbox/company/company.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { createEventStream, eventStreamHeaders } from "../../shared/event-stream.js";
import { headersFor } from "../../api/answer.js";
import { endOf } from "../../shared/after-answer.js";
import type { HttpContext } from "../../shared/env.js";

/** Open pages that are kept up to date at a time. */
export const LIVE_MAX = 100;

/** Between two events of a page, ms of real time. */
const TICK_MS = 250;

/** A stream of `changed` events without data, for the pages of a company: a page that receives one loads itself again. */
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

/** Reports changes, at most one every {@link TICK_MS}, until the returned function is called. */
function watch(sandbox: Sandbox, id: string, report: () => void): () => void {
  let cancel: (() => void) | undefined;
  const note = (): void => {
    cancel ??= sandbox.system.after(TICK_MS, () => {
      cancel = undefined;
      report();
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
