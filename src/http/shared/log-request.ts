import type { MiddlewareHandler } from "hono";
import { toIso } from "../../kernel/time/instant.js";
import { correlationIdOf, rounded } from "../../sandbox/activity-log.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { HttpContext, HttpEnv } from "./env.js";

/** Logs each call at debug, for all but the API under test, whose exchanges are logged as events. */
export function logRequests(sandbox: Sandbox): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const startedAt = sandbox.system.monotonic();
    await next();
    logRequest(c, sandbox, startedAt, c.res);
  };
}

/** `startedAt`: real time, ms of the machine's monotonic clock. */
export function logRequest(c: HttpContext, sandbox: Sandbox, startedAt: number, answer: Response): void {
  const { log, system } = sandbox;
  if (log.wants?.("debug") !== true) return;
  const { method, url } = c.req;
  const { pathname, search } = new URL(url);
  const company = sandbox.findCompany(c.req.query("company") ?? "") ?? sandbox.companies[0];
  const fields = {
    company: company?.id,
    now: toIso(company?.now() ?? system.now()),
    method,
    path: pathname + search,
    status: answer.status,
    durationMs: rounded(system.monotonic() - startedAt),
  };
  const logged = correlationIdIn(answer).then(async (correlationId) => {
    // After its changes, which are logged one turn later.
    await system.yieldToEventLoop();
    log.write("debug", "request", { ...fields, correlationId });
  });
  logged.catch((error: unknown) => log.write("error", "bug", { path: fields.path, error: String(error) }));
}

/** Only error bodies have one. */
async function correlationIdIn(answer: Response): Promise<string | undefined> {
  if (answer.status < 400 || answer.headers.get("content-type")?.startsWith("application/json") !== true)
    return undefined;
  return correlationIdOf(await answer.clone().json());
}
