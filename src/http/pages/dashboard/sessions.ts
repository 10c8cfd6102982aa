import { getCookie } from "hono/cookie";
import { createHmac } from "node:crypto";
import { createIdSource } from "../../../kernel/records/ids.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { type Caller, findCaller, isSameSecret } from "../../shared/caller.js";
import type { HttpContext } from "../../shared/env.js";
import { setNewest } from "./view/memory.js";

/** Above this number the oldest session has to sign in again. */
export const SESSIONS_MAX = 1_000;

/** How long a session lasts, ms of real time. */
export const SESSION_MS = 12 * 60 * 60_000;

export class Sessions {
  readonly #sandbox: Sandbox;
  /** Without a seed: nobody can guess the next id. */
  readonly #ids = createIdSource(undefined, "sessions");
  readonly #formKey = this.#ids.hex32() + this.#ids.hex32();
  readonly #sessions = new Map<string, { readonly openedAt: number; readonly token: string }>();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** Whether a token is asked for: without an admin token the dashboard is open. */
  get needed(): boolean {
    return findCaller(this.#sandbox, undefined) === undefined;
  }

  /** The id of a new session, for the right token. */
  open(token: string): string | undefined {
    if (!this.needed || findCaller(this.#sandbox, token) === undefined) return undefined;
    const id = this.#ids.hex32() + this.#ids.hex32();
    setNewest(this.#sessions, id, { openedAt: this.#sandbox.system.monotonic(), token }, SESSIONS_MAX);
    return id;
  }

  close(c: HttpContext): void {
    this.#sessions.delete(idOf(c));
  }

  /** Undefined without a session. It ends when its token stops working. */
  callerOf(c: HttpContext): Caller | undefined {
    if (!this.needed) return findCaller(this.#sandbox, undefined);
    const session = this.#sessions.get(idOf(c));
    if (session === undefined || this.#sandbox.system.monotonic() - session.openedAt >= SESSION_MS) return undefined;
    return findCaller(this.#sandbox, session.token);
  }

  /** The secret in this browser's forms: no page of another origin can know it. */
  formTokenOf(c: HttpContext): string {
    return createHmac("sha256", this.#formKey).update(idOf(c)).digest("base64url");
  }

  isFormToken(c: HttpContext, given: string): boolean {
    return isSameSecret(given, this.formTokenOf(c));
  }
}

/** Browsers send the cookies of a host to all of its ports: with one name two sandboxes would sign each other out. */
export function cookieName(c: HttpContext): string {
  const { port } = new URL(c.req.url);
  return port === "" ? "sandbox_session" : `sandbox_session_${port}`;
}

function idOf(c: HttpContext): string {
  return getCookie(c, cookieName(c)) ?? "";
}
