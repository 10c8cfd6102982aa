import { getCookie } from "hono/cookie";
import { createHmac } from "node:crypto";
import { isSameSecret } from "../../control/guards.js";
import { createIdSource } from "../../../kernel/records/ids.js";
import type { SystemClock } from "../../../kernel/time/system-clock.js";
import type { HttpContext } from "../../shared/env.js";
import { setNewest } from "./view/memory.js";

/** Above this number the oldest session has to sign in again. */
export const SESSIONS_MAX = 1_000;

/** How long a session lasts, ms of real time. */
export const SESSION_MS = 12 * 60 * 60_000;

export class Sessions {
  readonly #system: Pick<SystemClock, "monotonic">;
  readonly #expected: string | undefined;
  /** Without a seed: nobody can guess the next id. */
  readonly #ids = createIdSource(undefined, "sessions");
  readonly #formKey = this.#ids.hex32() + this.#ids.hex32();
  readonly #openedAt = new Map<string, number>();

  constructor(system: Pick<SystemClock, "monotonic">, adminToken: string | undefined) {
    this.#system = system;
    this.#expected = adminToken;
  }

  /** Whether there is an admin token: without one the dashboard is open. */
  get needed(): boolean {
    return this.#expected !== undefined;
  }

  /** The id of a new session, for the right token. */
  open(token: string): string | undefined {
    if (this.#expected === undefined || !isSameSecret(token, this.#expected)) return undefined;
    const id = this.#ids.hex32() + this.#ids.hex32();
    setNewest(this.#openedAt, id, this.#system.monotonic(), SESSIONS_MAX);
    return id;
  }

  close(c: HttpContext): void {
    this.#openedAt.delete(idOf(c));
  }

  has(c: HttpContext): boolean {
    const openedAt = this.#openedAt.get(idOf(c));
    return openedAt !== undefined && this.#system.monotonic() - openedAt < SESSION_MS;
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
