import { getCookie } from "hono/cookie";
import { createHash, timingSafeEqual } from "node:crypto";
import { createIdSource } from "../../kernel/ids.js";
import { RecentMap } from "../../kernel/recent-map.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import type { HttpContext } from "../env.js";

/** Those that were opened last; older ones have to sign in again. */
const SESSIONS_MAX = 1_000;

/** A session ends so long after it was opened, ms of real time. */
export const SESSION_MS = 12 * 60 * 60_000;

/** Who has given the admin token in a browser. A session's id says nothing of the token. */
export class Sessions {
  readonly #system: Pick<SystemClock, "monotonic">;
  readonly #expected: Buffer | undefined;
  /** Never a seeded stream: nobody may guess the next one. */
  readonly #ids = createIdSource(undefined, "sessions");
  /** When each was opened, by the digest of its id. */
  readonly #openedAt = new RecentMap<string, number>(SESSIONS_MAX / 2);

  constructor(system: Pick<SystemClock, "monotonic">, adminToken: string | undefined) {
    this.#system = system;
    this.#expected = adminToken === undefined ? undefined : digest(adminToken);
  }

  /** Whether there is an admin token at all: without one everybody may do everything. */
  get needed(): boolean {
    return this.#expected !== undefined;
  }

  /** Takes as long for a wrong token as for the right one. */
  isToken(given: string): boolean {
    return this.#expected !== undefined && timingSafeEqual(digest(given), this.#expected);
  }

  /** The id of a new one. */
  open(): string {
    const id = this.#ids.hex32() + this.#ids.hex32();
    this.#openedAt.set(keyOf(id), this.#system.monotonic());
    return id;
  }

  close(c: HttpContext): void {
    const id = getCookie(c, cookieName(c));
    if (id !== undefined) this.#openedAt.delete(keyOf(id));
  }

  /** Whether the request comes from a browser that has signed in. */
  has(c: HttpContext): boolean {
    const id = getCookie(c, cookieName(c));
    const openedAt = id === undefined ? undefined : this.#openedAt.get(keyOf(id));
    return openedAt !== undefined && this.#system.monotonic() - openedAt < SESSION_MS;
  }
}

/** A browser sends the cookies of one host to all of its ports: two sandboxes would sign each other out. */
export function cookieName(c: HttpContext): string {
  const { port } = new URL(c.req.url);
  return port === "" ? "sandbox_session" : `sandbox_session_${port}`;
}

/** Looked up by its digest, so that how long that takes says nothing of the ids that there are. */
function keyOf(id: string): string {
  return digest(id).toString("base64");
}

/** Digests have one length, whatever the tokens' lengths are. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
