import { type Instant, LATEST } from "./instant.js";
import type { SystemClock } from "./system-clock.js";

export type ClockMode = "running" | "frozen";

/** The stored form of a clock: a running one is an offset to real time, a frozen one is an instant. */
export type ClockState =
  | { readonly mode: "running"; readonly offsetMs: number }
  | { readonly mode: "frozen"; readonly at: Instant };

/** Moves a clock that is behind `instant` forward to it. */
export function notBefore(state: ClockState, instant: Instant, system: Pick<SystemClock, "now">): ClockState {
  if (state.mode === "frozen") return state.at >= instant ? state : { ...state, at: instant };
  return system.now() + state.offsetMs >= instant ? state : { ...state, offsetMs: instant - system.now() };
}

/**
 * One company's time. It runs (with an offset to real time) or is frozen, and never goes back: when the machine's clock is set back, the company's
 * clock continues from where it was. It is between 1970 and `LATEST`.
 *
 * During an advance the clock is *pinned* to the instant of the present due item, in either mode.
 */
export class Clock {
  readonly #system: SystemClock;
  #state: ClockState;
  #pinnedAt: Instant | undefined;
  #latest: Instant;

  constructor(system: SystemClock, state: ClockState) {
    this.#system = system;
    this.#state = state;
    this.#latest = this.#read();
  }

  get mode(): ClockMode {
    return this.#state.mode;
  }

  get pinned(): boolean {
    return this.#pinnedAt !== undefined;
  }

  now(): Instant {
    const at = this.#pinnedAt ?? this.#read();
    if (at < this.#latest) this.#state = this.#stateAt(this.#latest, this.mode);
    return (this.#latest = Math.max(this.#latest, at));
  }

  /** Holds the clock at `at` until `release`. */
  pin(at: Instant): void {
    this.#pinnedAt = Math.max(at, this.#latest);
    this.#latest = this.#pinnedAt;
  }

  /** Ends the pinning: a running clock continues from that instant, a frozen one stays there. */
  release(mode: ClockMode = this.mode): void {
    if (this.#pinnedAt === undefined) return;
    this.#state = this.#stateAt(this.#pinnedAt, mode);
    this.#pinnedAt = undefined;
  }

  setMode(mode: ClockMode): void {
    if (mode !== this.#state.mode) this.#state = this.#stateAt(this.now(), mode);
  }

  save(): ClockState {
    const state = this.#pinnedAt === undefined ? this.#state : this.#stateAt(this.#pinnedAt, this.#state.mode);
    return notBefore(state, this.#latest, this.#system);
  }

  /** The real time until `instant`, ms; undefined when the clock does not reach it by itself. */
  realDelayUntil(instant: Instant): number | undefined {
    if (this.#pinnedAt !== undefined || this.#state.mode === "frozen" || instant > LATEST) return undefined;
    return instant - (this.#system.now() + this.#state.offsetMs);
  }

  #read(): Instant {
    const at = this.#state.mode === "frozen" ? this.#state.at : this.#system.now() + this.#state.offsetMs;
    return Math.max(0, Math.min(LATEST, at));
  }

  #stateAt(instant: Instant, mode: ClockMode): ClockState {
    return mode === "frozen" ? { mode, at: instant } : { mode, offsetMs: instant - this.#system.now() };
  }
}
