import { getCookie } from "hono/cookie";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { createIdSource } from "../../../kernel/ids.js";
import { RecentMap } from "../../../kernel/recent-map.js";
import type { SystemClock } from "../../../kernel/system-clock.js";
import type { HttpContext } from "../../shared/env.js";

/** Those that were opened last; older ones have to sign in again. */
export const SESSIONS_MAX = 1_000;

/** A session ends so long after it was opened, ms of real time. */
export const SESSION_MS = 12 * 60 * 60_000;

/** Wrong admin tokens in a row, from whomever; then one more each {@link GUESS_MS}. */
export const GUESSES_MAX = 10;
const GUESS_MS = 6_000;

/** Who has given the admin token in a browser. A session's id says nothing of the token. */
export class Sessions {
  readonly #system: Pick<SystemClock, "monotonic">;
  readonly #expected: Buffer | undefined;
  /** Never a seeded stream: nobody may guess the next one. */
  readonly #ids = createIdSource(undefined, "sessions");
  readonly #formKey = this.#ids.hex32() + this.#ids.hex32();
  /** When each was opened, by the digest of its id. A map of recent entries holds up to twice as many. */
  readonly #openedAt = new RecentMap<string, number>(SESSIONS_MAX / 2);
  #guessesLeft = GUESSES_MAX;
  #guessedAt = 0;

  constructor(system: Pick<SystemClock, "monotonic">, adminToken: string | undefined) {
    this.#system = system;
    this.#expected = adminToken === undefined ? undefined : digest(adminToken);
  }

  /** Whether there is an admin token at all: without one everybody may do everything. */
  get needed(): boolean {
    return this.#expected !== undefined;
  }

  /** The id of a new session, for the right token. `wait`: so many ms before the next guess is looked at. */
  open(token: string): { readonly id: string } | { readonly wrong: true } | { readonly waitMs: number } {
    const now = this.#system.monotonic();
    const regained = Math.floor((now - this.#guessedAt) / GUESS_MS);
    if (regained > 0) {
      this.#guessesLeft = Math.min(GUESSES_MAX, this.#guessesLeft + regained);
      this.#guessedAt = now;
    }
    if (this.#guessesLeft === 0) return { waitMs: Math.max(1, this.#guessedAt + GUESS_MS - now) };
    // Takes as long for a wrong token as for the right one.
    if (this.#expected === undefined || !timingSafeEqual(digest(token), this.#expected)) {
      this.#guessesLeft--;
      return { wrong: true };
    }
    const id = this.#ids.hex32() + this.#ids.hex32();
    this.#openedAt.set(keyOf(id), now);
    return { id };
  }

  close(c: HttpContext): void {
    const id = idOf(c);
    if (id !== undefined) this.#openedAt.delete(keyOf(id));
  }

  /** Whether the request comes from a browser that has signed in. */
  has(c: HttpContext): boolean {
    const id = idOf(c);
    const openedAt = id === undefined ? undefined : this.#openedAt.get(keyOf(id));
    return openedAt !== undefined && this.#system.monotonic() - openedAt < SESSION_MS;
  }

  /** What this browser's forms carry: no page of another origin can know it. */
  formTokenOf(c: HttpContext): string {
    return createHmac("sha256", this.#formKey)
      .update(idOf(c) ?? "")
      .digest("base64url");
  }

  isFormToken(c: HttpContext, given: string): boolean {
    return timingSafeEqual(digest(given), digest(this.formTokenOf(c)));
  }
}

/** A browser sends the cookies of one host to all of its ports: two sandboxes would sign each other out. */
export function cookieName(c: HttpContext): string {
  const { port } = new URL(c.req.url);
  return port === "" ? "sandbox_session" : `sandbox_session_${port}`;
}

function idOf(c: HttpContext): string | undefined {
  return getCookie(c, cookieName(c));
}

/** Looked up by its digest, so that how long that takes says nothing of the ids that there are. */
function keyOf(id: string): string {
  return digest(id).toString("base64");
}

/** Digests have one length, whatever the tokens' lengths are. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
