import type { Company } from "../../../sandbox/company/company.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { CompanyLimit } from "../../shared/company-limit.js";
import { createEventStream, eventStreamHeaders } from "../../shared/event-stream.js";
import { headersFor } from "../../api/answer.js";
import { endOf } from "../../shared/after-answer.js";
import { isStillAdmitted } from "../../shared/caller.js";
import type { HttpContext } from "../../shared/env.js";

/** The most open pages of a company that are kept up to date at the same time. */
export const LIVE_MAX = 100;

/** The shortest time between two events of a page, ms of real time. */
const TICK_MS = 250;

/** Streams `changed` events without data to the pages of a company. A page that receives one loads itself again. */
export function createLive(sandbox: Sandbox): (c: HttpContext, company: Company) => Response {
  const streams = new CompanyLimit(LIVE_MAX, `There are ${LIVE_MAX} open pages already, which is the most. Close one.`);
  return (c, { id }) => {
    const release = streams.begin(id);
    const body = createEventStream(sandbox.system, endOf(c), ({ send, isBehind, end }) => {
      let cancel: (() => void) | undefined;
      const report = (): void => {
        cancel ??= sandbox.system.after(TICK_MS, () => {
          cancel = undefined;
          if (!isStillAdmitted(sandbox, c.var.caller)) end();
          else if (!isBehind()) send("changed", null);
        });
      };
      const stops = [
        sandbox.events.on("exchange", ({ exchange, companyId }) => {
          if (companyId !== id) return;
          report();
          exchange.onLost(report);
        }),
        sandbox.events.on("changed", ({ company }) => {
          if (company.id === id) report();
        }),
        sandbox.events.on("forgets", ({ company, reset }) => {
          if (company.id === id && !reset) end();
        }),
      ];
      return () => {
        release();
        cancel?.();
        for (const stop of stops) stop();
      };
    });
    return new Response(body, { headers: { ...headersFor(sandbox, undefined), ...eventStreamHeaders } });
  };
}
