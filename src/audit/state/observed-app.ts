import type { SystemClock } from "../../kernel/time/system-clock.js";
import { type Change, changeOf, patternOf } from "../application/change.js";
import type { Names } from "../application/normalize.js";
import { readState, type StateSource } from "../application/state-reader.js";

export interface ObserveOptions {
  /** Prints the application's state. */
  readonly check: StateSource;
  /** How long the application may work after its answers. */
  readonly settleMs: number;
  /** The limit for one reading. */
  readonly timeoutMs: number;
  readonly system: SystemClock;
}

/** The application as its state shows it: what changes by itself, and how long it works after a delivery. */
export class ObservedApp {
  readonly #options: ObserveOptions;
  /** Places in the state that vary by themselves, such as times and serial ids. */
  readonly ignored = new Set<string>();
  /** How long after an answer the state begins to change. 0 means that the application works before it answers. */
  pauseMs = 0;
  /** The pause between two readings that must be equal before the state counts as settled. */
  quietMs = 0;
  /** The last reading of the current check. */
  latest: { readonly state: unknown; readonly at: number } | undefined;
  #firstDeliveredAt: number | undefined;
  /** When the last event was answered. */
  #deliveredAt: number | undefined;
  /** When the state was last seen to change between two readings without a delivery in between. */
  #changedAt = 0;
  /** Whether the state changed longer after a delivery than the audit waits. */
  #isBusy = false;
  /** Whether it changed after it had been at rest for that long. */
  #isLate = false;
  #isWatched = false;

  constructor(options: ObserveOptions) {
    this.#options = options;
  }

  /** Whether each reading takes so long that there should be few. */
  get isSlow(): boolean {
    return this.pauseMs >= SLOW_MS;
  }

  /** How long to wait after an answer where the audit must be sure, ms. */
  get patienceMs(): number {
    const { settleMs } = this.#options;
    // An application that has always done its work before it answered needs a moment at most.
    return Math.max(this.pauseMs, this.pauseMs === 0 ? Math.min(settleMs, SLOW_MS) : settleMs);
  }

  changeOf(before: unknown, after: unknown, names: Names = new Map()): Change {
    return changeOf(before, after, { names, ignored: this.ignored, now: this.#options.system.now() });
  }

  /** Call this when an event has been answered. */
  noteDelivery(): void {
    this.#deliveredAt = this.#options.system.monotonic();
    this.#firstDeliveredAt ??= this.#deliveredAt;
  }

  /** Call this when the application has made an order: the state may show it as late as the effect of an event. */
  noteOrder(): void {
    this.latest = undefined;
    this.noteDelivery();
  }

  /** Throws UsageError("cannot-run"). */
  async read(): Promise<unknown> {
    const { check, system, timeoutMs, settleMs } = this.#options;
    const state = await readState(check, { name: "--check", system, timeoutMs });
    const latest = this.latest;
    const deliveredAt = this.#deliveredAt;
    this.latest = { state, at: system.monotonic() };
    if (deliveredAt === undefined || latest === undefined || latest.at < deliveredAt) return state;
    // Nothing was delivered between the two readings.
    if (this.changeOf(latest.state, state).length === 0) return state;
    this.#isBusy ||= this.latest.at - deliveredAt > settleMs;
    this.#isLate ||= latest.at - Math.max(deliveredAt, this.#changedAt) > settleMs;
    this.#changedAt = this.latest.at;
    return state;
  }

  /** The state after deliveries. One reading is enough for an application that works before it answers. */
  async readSettled(): Promise<unknown> {
    if (this.pauseMs === 0) return this.read();
    const { system } = this.#options;
    await system.sleep(Math.max(0, (this.#deliveredAt ?? 0) + this.pauseMs - system.monotonic()));
    return (await this.#readUntilStable(this.quietMs)).state;
  }

  /** The state once earlier deliveries have been handled. Undefined when it keeps changing. */
  async readAtRest(): Promise<{ readonly state: unknown } | undefined> {
    const reading = await this.#readUntilStable(REST_MS);
    return reading.isStable ? reading : undefined;
  }

  /** Reads until two states in a row are equal, a limited number of times. */
  async #readUntilStable(pauseMs: number) {
    let state = await this.read();
    for (let readings = 1; readings < READINGS_MAX; readings++) {
      await this.#options.system.sleep(pauseMs);
      const next = await this.read();
      if (this.changeOf(state, next).length === 0) return { state: next, isStable: true };
      state = next;
    }
    return { state, isStable: false };
  }

  /**
   * Reads the state while nothing is delivered, until two readings are equal. Places that differ in all readings vary by themselves and are ignored from now
   * on. Returns whether all other places are at rest.
   */
  async findVarying(): Promise<boolean> {
    const { system, settleMs } = this.#options;
    // A slow application may still be at work on the events of other checks.
    if (settleMs > SECOND_MS) await system.sleep(settleMs);
    let state = await this.read();
    let varying: ReadonlySet<string> | undefined;
    for (let waited = 0; waited < Math.max(settleMs, VARYING_MIN_MS); waited += SECOND_MS) {
      await system.sleep(SECOND_MS);
      const next = await this.read();
      const places = new Set(this.changeOf(state, next).map(patternOf));
      if (places.size === 0) return true;
      varying = varying === undefined ? places : new Set([...varying].filter((place) => places.has(place)));
      state = next;
    }
    for (const place of varying ?? []) if (place !== "") this.ignored.add(place);
    return (await this.readAtRest()) !== undefined;
  }

  /** Forgets earlier late changes: from now on the audit waits as long as an ordinary history needs. */
  beginWatch(): void {
    this.#isBusy = false;
    this.#isLate = false;
  }

  /** Whether the state still changes after the time that the audit waits for it. Then neither a failure nor its absence is reliable. */
  async isBusy(): Promise<boolean> {
    if (!this.#isBusy) await this.#watch(this.#deliveredAt);
    return this.#isBusy;
  }

  /** Whether the state changes so late even after it was at rest. Then passed checks prove nothing. */
  async isLate(): Promise<boolean> {
    if (!this.#isLate) await this.#watch(this.#firstDeliveredAt);
    return this.#isLate;
  }

  /** Reads the state for a while, or until a late change is seen. Only the first call does so. */
  async #watch(since: number | undefined): Promise<void> {
    const { system, settleMs } = this.#options;
    if (since === undefined || this.#isWatched || settleMs >= LATE_MS) return;
    this.#isWatched = true;
    while (!this.#isLate && system.monotonic() < since + LATE_MS) {
      await system.sleep(LATE_PAUSE_MS);
      await this.read();
    }
  }
}

const SLOW_MS = 1000;
/** How long after a delivery late changes are looked for. */
const LATE_MS = 5500;
const LATE_PAUSE_MS = 250;
const REST_MS = 150;
/** Longer than the resolution of most timestamps. */
const SECOND_MS = 1100;
/** Places that change in each reading for at least this long vary by themselves. */
const VARYING_MIN_MS = 4 * SECOND_MS;
/** The most readings while waiting for two equal ones in a row. */
const READINGS_MAX = 8;
