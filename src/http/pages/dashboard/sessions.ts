import { getCookie } from "hono/cookie";
import { createHmac } from "node:crypto";
import { createIdSource } from "../../../kernel/records/ids.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { type Caller, findCaller, isSameSecret } from "../../shared/caller.js";
import type { HttpContext } from "../../shared/env.js";

/** Of one company, and of the administrator. Above this number the oldest has to sign in again. */
export const SESSIONS_MAX = 100;

/** How long a session lasts, ms of real time. */
export const SESSION_MS = 12 * 60 * 60_000;

interface Session {
  readonly openedAt: number;
  readonly token: string;
  /** As in {@link Caller}. */
  readonly tenant: string | undefined;
}

export class Sessions {
  readonly #sandbox: Sandbox;
  /** Without a seed: nobody can guess the next id. */
  readonly #ids = createIdSource(undefined, "sessions");
  readonly #formKey = this.#ids.hex32() + this.#ids.hex32();
  /** The oldest first. */
  readonly #sessions = new Map<string, Session>();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** Whether a token is asked for: without an admin token the dashboard is open. */
  get needed(): boolean {
    return findCaller(this.#sandbox, undefined) === undefined;
  }

  /** The id of a new session, for the right token. */
  open(token: string): string | undefined {
    const caller = this.needed ? findCaller(this.#sandbox, token) : undefined;
    if (caller === undefined) return undefined;
    this.#makeRoom(caller);
    const id = this.#ids.hex32() + this.#ids.hex32();
    this.#sessions.set(id, { openedAt: this.#sandbox.system.monotonic(), token, tenant: caller.tenant });
    return id;
  }

  #makeRoom({ tenant }: Caller): void {
    for (const [id, session] of this.#sessions) if (this.#isOver(session)) this.#sessions.delete(id);
    const own = [...this.#sessions].filter(([, session]) => session.tenant === tenant);
    const [oldest] = own;
    if (oldest !== undefined && own.length >= SESSIONS_MAX) this.#sessions.delete(oldest[0]);
  }

  #isOver({ openedAt }: Session): boolean {
    return this.#sandbox.system.monotonic() - openedAt >= SESSION_MS;
  }

  close(c: HttpContext): void {
    this.#sessions.delete(idOf(c));
  }

  /** Undefined without a session. It ends when its token stops working. */
  callerOf(c: HttpContext): Caller | undefined {
    if (!this.needed) return findCaller(this.#sandbox, undefined);
    const session = this.#sessions.get(idOf(c));
    if (session === undefined || this.#isOver(session)) return undefined;
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
