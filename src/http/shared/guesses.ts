import type { SystemClock } from "../../kernel/time/system-clock.js";
import type { HttpContext } from "./env.js";

/** Wrong admin tokens in a row from one address; then one more each {@link GUESS_MS}. */
export const GUESSES_MAX = 10;
export const GUESS_MS = 6_000;
/** Above this number the address that guessed longest ago is forgotten. */
const ADDRESSES_MAX = 10_000;

interface Guesser {
  readonly left: number;
  readonly at: number;
}

/** Limits wrong admin tokens by address. It is asked about wrong ones only, so nobody else's guesses keep out who has the right one. */
export class Guesses {
  readonly #system: Pick<SystemClock, "monotonic">;
  /** Who guessed last is last. */
  readonly #guessers = new Map<string, Guesser>();

  constructor(system: Pick<SystemClock, "monotonic">) {
    this.#system = system;
  }

  /** Counts a wrong token. The answer: how many seconds its address has to wait; undefined when it may guess again. */
  countWrong(c: HttpContext): string | undefined {
    const address = c.env?.incoming?.socket.remoteAddress ?? "";
    const now = this.#system.monotonic();
    const { left, at } = this.#guessers.get(address) ?? { left: GUESSES_MAX, at: now };
    const regained = Math.floor((now - at) / GUESS_MS);
    const available = Math.min(GUESSES_MAX, left + regained);
    const since = available === GUESSES_MAX ? now : at + regained * GUESS_MS;
    this.#guessers.delete(address);
    this.#guessers.set(address, { left: Math.max(0, available - 1), at: since });
    const [oldest] = this.#guessers.size > ADDRESSES_MAX ? this.#guessers.keys() : [];
    if (oldest !== undefined) this.#guessers.delete(oldest);
    return available > 0 ? undefined : String(Math.max(1, Math.ceil((since + GUESS_MS - now) / 1000)));
  }
}
