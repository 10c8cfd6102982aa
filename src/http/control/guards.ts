import type { MiddlewareHandler } from "hono";
import { createHash, timingSafeEqual } from "node:crypto";
import type { ErrorStatus } from "../../contract/problems.js";
import { quote } from "../../kernel/messages/text.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { HttpContext, HttpEnv } from "../shared/env.js";
import { isLoopback } from "../shared/loopback.js";
import type { Guesses } from "../shared/guesses.js";
import { answerRefusal } from "./control-endpoint.js";

/**
 * "Requests that a web page of another origin could forge (foreign `Origin`, unknown `Host` on a loopback bind) are refused with 403." An unknown host is
 * a page whose own name was made to resolve to this machine. `Sec-Fetch-Site` counts too: browsers request a page's images and scripts without an `Origin`.
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
  const unknown = hosts.find((name) => !isKnownHost(sandbox, boundTo, name));
  if (unknown === undefined) return undefined;
  const why = "a loopback address is called by its own name or by the one of --public-url";
  return `Host ${quote(unknown)} is not a name of this sandbox: ${why}`;
}

export function originProblem(sandbox: Sandbox, c: HttpContext): string | undefined {
  const origin = c.req.header("origin");
  if (origin !== undefined) {
    if (isOwnOrigin(sandbox, c, origin)) return undefined;
    return `Origin ${quote(origin)} is not this sandbox's own: pages of other origins may not control it`;
  }
  const site = c.req.header("sec-fetch-site");
  if (site === undefined || OWN_SITES.has(site) || isNavigation(c)) return undefined;
  return `Sec-Fetch-Site ${quote(site)} says that a page of another origin asks: it may not control this sandbox`;
}

/** `none`: the user typed the address. */
const OWN_SITES: ReadonlySet<string> = new Set(["same-origin", "none"]);

/** A link that the user follows only reads, and its page does not see the answer. */
function isNavigation(c: HttpContext): boolean {
  const { method } = c.req;
  const isPage = c.req.header("sec-fetch-mode") === "navigate" && c.req.header("sec-fetch-dest") === "document";
  return isPage && (method === "GET" || method === "HEAD");
}

/** "With an admin token set […] every call but `health` needs it as bearer (401)." Too many wrong ones from an address: 429. */
export function requireAdminToken(sandbox: Sandbox, guesses: Guesses): MiddlewareHandler<HttpEnv> {
  const { adminToken } = sandbox.options;
  if (adminToken === undefined) return (_, next) => next();
  return async (c, next) => {
    if (c.req.path === "/_sandbox/health") return next();
    const given = /^Bearer +(\S+) *$/i.exec(c.req.header("authorization") ?? "")?.[1];
    if (given !== undefined && isSameSecret(given, adminToken)) return next();
    const waitS = given === undefined ? undefined : guesses.countWrong(c);
    if (waitS !== undefined) {
      const messages = [`Too many wrong admin tokens from this address. Try again in ${waitS} s`];
      return answerRefusal(sandbox, undefined, c.req.path, {
        status: 429,
        messages,
        headers: { "retry-after": waitS },
      });
    }
    return refuse(sandbox, c, 401, "Authorization must be: Bearer <admin token>, the one that --admin-token set");
  };
}

/** In constant time. `timingSafeEqual` compares equal lengths only, and digests have one length. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** A name or an address, and a port, without a user before it or a path after it. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

function isKnownHost(sandbox: Sandbox, boundTo: string | undefined, host: string): boolean {
  const name = HOST.test(host) ? hostnameOf(`http://${host}`)?.replace(/\.$/, "") : undefined;
  if (name === undefined) return false;
  const { publicUrl } = sandbox.options;
  const bound = boundTo === undefined ? [] : [hostnameOf(`http://${boundTo.includes(":") ? `[${boundTo}]` : boundTo}`)];
  return [...OWN_NAMES, ...bound, ...(publicUrl === undefined ? [] : [hostnameOf(publicUrl)])].includes(name);
}

const OWN_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/** The origin `null` (a sandboxed frame, a file, a redirect) can be any page's. */
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
