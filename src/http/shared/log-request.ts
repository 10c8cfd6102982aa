import type { MiddlewareHandler } from "hono";
import { toIso } from "../../kernel/time/instant.js";
import { correlationIdOf, rounded } from "../../sandbox/activity-log.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { Caller } from "./caller.js";
import type { HttpContext, HttpEnv } from "./env.js";

/** Counts each call and logs it at debug level. Not for the API under test, whose exchanges are logged as events. */
export function logRequests(sandbox: Sandbox): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const startedAt = sandbox.system.monotonic();
    await next();
    await logRequest(c, sandbox, startedAt, c.res);
  };
}

/** Resolves before the answer is sent, so that the log has the order of the calls. `startedAt` is real time, ms of the machine's monotonic clock. */
export async function logRequest(c: HttpContext, sandbox: Sandbox, startedAt: number, answer: Response): Promise<void> {
  const { log, system, metrics } = sandbox;
  const { method, url } = c.req;
  const { pathname, search } = new URL(url);
  metrics.countOther(pathname.startsWith("/_sandbox") ? "control" : "other", answer.status);
  if (log.wants?.("debug") !== true) return;
  const company = sandbox.findCompany(c.get("companyId") ?? namedCompany(c) ?? "");
  const fields = {
    company: company?.id,
    now: toIso(company?.now() ?? system.now()),
    method,
    path: pathname + search,
    status: answer.status,
    durationMs: rounded(system.monotonic() - startedAt),
  };
  const correlationId = await correlationIdIn(answer);
  // The line comes after the call's changes, which are logged one turn later.
  await system.yieldToEventLoop();
  log.write("debug", "request", { ...fields, correlationId });
}

/** The company of a call that was refused before its company was found. Only an administrator may name one in the query. */
function namedCompany(c: HttpContext): string | undefined {
  const caller: Caller | undefined = c.get("caller");
  return caller && (caller.tenant ?? c.req.query("company"));
}

/** Only error bodies have a correlation id. That of an answer to HEAD is already dropped. */
async function correlationIdIn(answer: Response): Promise<string | undefined> {
  if (answer.status < 400 || answer.bodyUsed) return undefined;
  if (answer.headers.get("content-type")?.startsWith("application/json") !== true) return undefined;
  return correlationIdOf(await answer.clone().json());
}
