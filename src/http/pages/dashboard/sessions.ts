import { getCookie } from "hono/cookie";
import { createHmac } from "node:crypto";
import { createIdSource } from "../../../kernel/records/ids.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { type Caller, findCaller, isSameSecret } from "../../shared/caller.js";
import type { HttpContext } from "../../shared/env.js";

/** The most sessions of a company, and of administrators. Above it the oldest session ends. */
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
  /** It has no seed, so that nobody can guess the next id. */
  readonly #ids = createIdSource(undefined, "sessions");
  readonly #formKey = this.#ids.hex32() + this.#ids.hex32();
  /** Oldest first. */
  readonly #sessions = new Map<string, Session>();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** Whether the dashboard asks for a token: it is open when the control API is. */
  get needed(): boolean {
    return findCaller(this.#sandbox, undefined) === undefined;
  }

  /** Opens a session for a valid token, and returns its id. */
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

  /** The caller of the session; undefined without one. A session ends when its token stops working. */
  callerOf(c: HttpContext): Caller | undefined {
    if (!this.needed) return findCaller(this.#sandbox, undefined);
    const session = this.#sessions.get(idOf(c));
    if (session === undefined || this.#isOver(session)) return undefined;
    return findCaller(this.#sandbox, session.token);
  }

  /** The secret in this browser's forms, which no page of another origin can know. */
  formTokenOf(c: HttpContext): string {
    return createHmac("sha256", this.#formKey).update(idOf(c)).digest("base64url");
  }

  isFormToken(c: HttpContext, given: string): boolean {
    return isSameSecret(given, this.formTokenOf(c));
  }
}

/** Includes the port: browsers send the cookies of a host to all of its ports, so two sandboxes would sign each other out. */
export function cookieName(c: HttpContext): string {
  const { port } = new URL(c.req.url);
  return port === "" ? "sandbox_session" : `sandbox_session_${port}`;
}

function idOf(c: HttpContext): string {
  return getCookie(c, cookieName(c)) ?? "";
}
