import type { MiddlewareHandler } from "hono";
import { createHash, timingSafeEqual } from "node:crypto";
import type { ErrorStatus } from "../../contract/problems.js";
import { quote } from "../../kernel/quote.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { HttpContext, HttpEnv } from "../env.js";
import { isLoopback } from "../loopback.js";
import { answerRefusal } from "./answer-control.js";

/**
 * "Requests that a web page of another origin could forge (foreign `Origin`, unknown `Host` on a loopback bind) are refused with 403." The second is a
 * page whose own name was made to point to this machine.
 */
export function refuseForgery(sandbox: Sandbox): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const host = c.req.header("host");
    const origin = c.req.header("origin");
    const { boundTo } = c.env ?? {};
    if (host !== undefined && isLoopback(boundTo ?? "localhost") && !isKnownHost(sandbox, boundTo, host)) {
      const why = "a loopback address is called by its own name or by the one of --public-url";
      return refuse(sandbox, c, 403, `Host ${quote(host)} is not a name of this sandbox: ${why}`);
    }
    if (origin !== undefined && !isOwnOrigin(sandbox, c, origin)) {
      return refuse(
        sandbox,
        c,
        403,
        `Origin ${quote(origin)} is not this sandbox's own: pages of other origins may not control it`,
      );
    }
    return next();
  };
}

/** "With an admin token set […] every call but `health` needs it as bearer (401)." */
export function requireAdminToken(sandbox: Sandbox): MiddlewareHandler<HttpEnv> {
  const { adminToken } = sandbox.options;
  if (adminToken === undefined) return (_, next) => next();
  const expected = digest(adminToken);
  return async (c, next) => {
    if (c.req.path === "/_sandbox/health") return next();
    const given = /^Bearer +(\S+) *$/i.exec(c.req.header("authorization") ?? "")?.[1];
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return next();
    return refuse(sandbox, c, 401, "Authorization must be: Bearer <admin token>, the one that --admin-token set");
  };
}

/** Digests have one length, whatever the tokens' lengths are. */
function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function isKnownHost(sandbox: Sandbox, boundTo: string | undefined, host: string): boolean {
  const name = hostnameOf(`http://${host}`);
  if (name === undefined) return false;
  const { publicUrl } = sandbox.options;
  const bound = boundTo === undefined ? [] : [hostnameOf(`http://${boundTo.includes(":") ? `[${boundTo}]` : boundTo}`)];
  return [...OWN_NAMES, ...bound, ...(publicUrl === undefined ? [] : [hostnameOf(publicUrl)])].includes(name);
}

const OWN_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/** `null` (a sandboxed frame, a file, a redirect) is an origin that could be anybody's. */
function isOwnOrigin(sandbox: Sandbox, c: HttpContext, origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { host } = new URL(origin);
  const { publicUrl } = sandbox.options;
  if (publicUrl !== undefined && new URL(publicUrl).origin === new URL(origin).origin) return true;
  return host === (c.req.header("host") ?? new URL(c.req.url).host).toLowerCase();
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

function refuse(sandbox: Sandbox, c: HttpContext, status: ErrorStatus, message: string): Response {
  return answerRefusal(sandbox, undefined, c.req.path, { status, messages: [message] });
}
