import type { MiddlewareHandler } from "hono";
import type { ErrorStatus } from "../../contract/problems.js";
import { quote } from "../../kernel/messages/text.js";
import { UsageError } from "../../kernel/messages/problem.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { STATE_BYTES_MAX } from "../../sandbox/state/state.js";
import type { HttpContext, HttpEnv } from "../shared/env.js";
import { OWN_SITES, isKnownHost, isOwnOrigin } from "../shared/own-names.js";
import { isLoopback } from "../shared/loopback.js";
import { type Caller, findCaller } from "../shared/caller.js";
import { MOVING } from "../shared/company.js";
import { tokenOf } from "../api/answer.js";
import { type AddressLimit, addressOf } from "../shared/address-limit.js";
import { answerRefusal } from "./control-endpoint.js";
import { CONTROL_BODY_LIMIT } from "./control-route.js";

/**
 * Refuses with 403 what a web page of another origin could forge: a foreign `Origin`, or an unknown `Host` at a loopback address, which means that
 * the page's own name was made to resolve to this machine. `Sec-Fetch-Site` counts too: browsers request a page's images and scripts without an
 * `Origin`.
 */
export function refuseForgery(sandbox: Sandbox): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const problem = hostProblem(sandbox, c) ?? originProblem(sandbox, c);
    return problem === undefined ? next() : refuse(sandbox, c, 403, problem);
  };
}

function hostProblem(sandbox: Sandbox, c: HttpContext): string | undefined {
  const host = c.req.header("host");
  const { boundTo } = c.env ?? {};
  if (host === undefined || !isLoopback(boundTo ?? "localhost")) return undefined;
  // A request to `http://name/path` names its host twice.
  const hosts = boundTo === undefined ? [host] : [host, new URL(c.req.url).host];
  const unknown = hosts.find((name) => !isKnownHost(name, boundTo, sandbox.options.publicUrl));
  if (unknown === undefined) return undefined;
  const why = "a loopback address is called by its own name or by the one of --public-url";
  return `Host ${quote(unknown)} is not a name of this sandbox: ${why}`;
}

export function originProblem(sandbox: Sandbox, c: HttpContext): string | undefined {
  const origin = c.req.header("origin");
  if (origin !== undefined) {
    const host = c.req.header("host") ?? new URL(c.req.url).host;
    if (isOwnOrigin(origin, host, sandbox.options.publicUrl)) return undefined;
    return `Origin ${quote(origin)} is not this sandbox's own: pages of other origins may not control it`;
  }
  const site = c.req.header("sec-fetch-site");
  if (site === undefined || OWN_SITES.has(site) || isNavigation(c)) return undefined;
  return `Sec-Fetch-Site ${quote(site)} says that a page of another origin asks: it may not control this sandbox`;
}

/** Following a link only reads, and the page that has the link does not see the answer. */
function isNavigation(c: HttpContext): boolean {
  const { method } = c.req;
  const isPage = c.req.header("sec-fetch-mode") === "navigate" && c.req.header("sec-fetch-dest") === "document";
  return isPage && (method === "GET" || method === "HEAD");
}

/**
 * With an admin token, every call but those of `openPaths` needs it as bearer token (401). With tenancy a company's access token is accepted too. Too
 * many wrong tokens from one address are answered with 429.
 */
export function requireCaller(
  sandbox: Sandbox,
  guesses: AddressLimit,
  openPaths: readonly string[] = [],
): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    if (openPaths.includes(c.req.path)) return next();
    const given = tokenOf(c);
    const caller = findCaller(sandbox, given);
    if (caller !== undefined) {
      c.set("caller", caller);
      return next();
    }
    // Read before the wait: meanwhile the company may be imported here again.
    const isMoving = given !== undefined && sandbox.isMoving(given);
    await sandbox.store.durable(false);
    if (isMoving) return answerRefusal(sandbox, undefined, c.req.path, MOVING);
    const waitS = given === undefined ? undefined : guesses.count(addressOf(c, sandbox.options.trustedProxies));
    const { tenancy } = sandbox.options;
    if (waitS !== undefined) {
      const messages = [`Too many wrong ${tenancy ? "" : "admin "}tokens from this address. Try again in ${waitS} s`];
      return answerRefusal(sandbox, undefined, c.req.path, {
        status: 429,
        messages,
        headers: { "retry-after": waitS },
      });
    }
    const wanted = tenancy
      ? "Bearer <access token>, of the company, or Bearer <admin token>"
      : "Bearer <admin token>, the one that --admin-token set";
    return refuse(sandbox, c, 401, `Authorization must be: ${wanted}`);
  };
}

function refuse(sandbox: Sandbox, c: HttpContext, status: ErrorStatus, message: string): Response {
  return answerRefusal(sandbox, undefined, c.req.path, { status, messages: [message] });
}

/** Reserves memory for a body of up to `limit` bytes. The returned function frees it. Throws UsageError("busy") when none is left. */
export type ReserveBody = (c: HttpContext, limit: number) => () => void;

/** All bodies of tenants above {@link CONTROL_BODY_LIMIT} that are read at the same time share as much memory as a single one may need. */
export function reserveBodies(): ReserveBody {
  let reserved = 0;
  return (c, limit) => {
    const caller: Caller | undefined = c.get("caller");
    const bytes = Math.min(Number(c.req.header("content-length") ?? limit), limit);
    // Without a socket the body is in memory already.
    const isReceived = c.env?.incoming !== undefined;
    if (caller?.tenant === undefined || !isReceived || bytes <= CONTROL_BODY_LIMIT) return () => undefined;
    if (reserved + bytes > STATE_BYTES_MAX)
      throw new UsageError("busy", "Failed to read the body: other large bodies are being read. Send it again later");
    reserved += bytes;
    return () => void (reserved -= bytes);
  };
}
