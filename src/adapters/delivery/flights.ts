import type { SystemClock } from "../../kernel/system-clock.js";

/** An attempt on the wire. */
export interface Flight {
  /** When it has taken too long, ms of the machine's monotonic clock. */
  readonly deadline: number;
  /** Where {@link Flights} has it. */
  place: number;
  timeOut(): void;
  giveUp(): void;
}

/**
 * The attempts of one company that are on the wire, with one timer and one listener for all of them. A timer and a listener for each cost three
 * microseconds, and more in the end: a signal's listeners are a linked list, in which one that is gone and has grown old keeps all that came after it
 * from being collected young.
 */
export class Flights {
  readonly #system: SystemClock;
  /** In no order: the last takes the place of one that leaves. */
  readonly #flights: Flight[] = [];
  #wakesAt = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => undefined;

  /** All are given up when `signal` says so. */
  constructor(system: SystemClock, signal: AbortSignal) {
    this.#system = system;
    signal.addEventListener("abort", () => this.#giveUp(), { once: true });
  }

  begin(flight: Flight): void {
    flight.place = this.#flights.push(flight) - 1;
    if (flight.deadline < this.#wakesAt) this.#wakeAt(flight.deadline);
  }

  /** Of one that has begun, once. */
  end(flight: Flight): void {
    const last = this.#flights.pop();
    if (last !== undefined && last !== flight) {
      this.#flights[flight.place] = last;
      last.place = flight.place;
    }
    if (this.#flights.length === 0) this.#rest();
  }

  #giveUp(): void {
    // Each leaves at once.
    for (const flight of this.#flights.slice()) flight.giveUp();
  }

  /** Nothing is on the wire: no timer is left behind. */
  #rest(): void {
    this.#cancel();
    this.#wakesAt = Number.POSITIVE_INFINITY;
  }

  #wakeAt(deadline: number): void {
    this.#cancel();
    this.#wakesAt = deadline;
    this.#cancel = this.#system.after(deadline - this.#system.monotonic(), () => this.#timeOut());
  }

  /** Those whose time is over; most of those that it was set for have landed long ago. */
  #timeOut(): void {
    const now = this.#system.monotonic();
    for (const flight of this.#flights.filter(({ deadline }) => deadline <= now)) flight.timeOut();
    const [first, ...others] = this.#flights;
    if (first === undefined) return;
    this.#wakeAt(others.reduce((earliest, { deadline }) => Math.min(earliest, deadline), first.deadline));
  }
}
