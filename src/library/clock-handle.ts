import { type DueKind, shownSubject } from "../domain/model/work.js";
import { parseDuration } from "../kernel/duration.js";
import { type Instant, parseInstant, toIso } from "../kernel/instant.js";
import { UsageError } from "../kernel/problem.js";
import { type AdvanceResult, type AdvanceTarget, advance, setClockMode } from "../sandbox/company/advance.js";
import type { Company } from "../sandbox/company/company.js";
/**
 * One company's time. Durations are `1d2h59m59.999s`, ISO 8601 (`PT1H`) or a number of milliseconds; instants are ISO 8601 texts or dates.
 */
export interface ClockHandle {
  readonly now: Date;
  readonly mode: "running" | "frozen";
  /**
   * The next due item; undefined when there is none.
   *
   * @example
   * ```ts
   * const { kind, at } = sandbox.clock.next ?? {}; // charge.expire, one hour after a charge was created
   * ```
   */
  readonly next: DueItem | undefined;
  /**
   * Moves time forward from one due item to the next, each at its own instant. Resolves when all of them have happened and every delivery attempt
   * is over: a whole schedule of retries passes in one call. Rejects with `UsageError` for a wrong duration.
   *
   * @example
   * ```ts
   * await sandbox.clock.advance("1h"); // an unpaid charge is dropped now
   * ```
   */
  advance(by: string | number, options?: AdvanceOptions): Promise<Advanced>;
  /**
   * Moves time to the next due item, if there is one.
   *
   * @example
   * ```ts
   * const { fired } = await sandbox.clock.advanceToNext();
   * ```
   */
  advanceToNext(options?: AdvanceOptions): Promise<Advanced>;
  /**
   * Moves time forward to an instant. Rejects with `UsageError` for one in the past: only `reset` moves the clock back.
   *
   * @example
   * ```ts
   * await sandbox.clock.set("2026-02-01T00:00:00Z");
   * ```
   */
  set(to: string | Date, options?: AdvanceOptions): Promise<Advanced>;
  /**
   * Stops the clock: time moves only by `advance`, `advanceToNext` and `set`.
   *
   * @example
   * ```ts
   * await sandbox.clock.freeze();
   * ```
   */
  freeze(): Promise<void>;
  /**
   * Lets the clock run from its present time, as fast as real time.
   *
   * @example
   * ```ts
   * await sandbox.clock.resume();
   * ```
   */
  resume(): Promise<void>;
}

export interface AdvanceOptions {
  /** Wait until every attempt to deliver is over (default), or resolve after the timers. */
  readonly settle?: boolean;
  /** Do not wait for attempts in flight before time moves on: faster, but not repeatable. Default false. */
  readonly lookAhead?: boolean;
  /** The longest real time to wait for receivers, ms. Default 60 000. */
  readonly maxWaitMs?: number;
}

/** Something that the sandbox does at its time. */
export interface DueItem {
  readonly at: Date;
  readonly kind: "charge.expire" | "transfer.settle" | "payment.settle" | "delivery.attempt";
  /** Of the charge, the transaction, the payment (of the entry that it becomes) or the delivery, as the API gives it. */
  readonly id: string;
}

/** The result of an advance. */
export interface Advanced {
  readonly now: Date;
  /** The items that happened, in order; the first 10 000. */
  readonly fired: readonly DueItem[];
  readonly firedCount: number;
  /** Of the attempts that began within it. */
  readonly deliveries: { readonly attempted: number; readonly succeeded: number; readonly failed: number };
  /** Ids of deliveries whose attempt was still in flight at the end. */
  readonly unfinished: readonly string[];
}

/** `current` is called each time, since a reset replaces the company. */
export function createClockHandle(current: () => Company): ClockHandle {
  const move = async (target: AdvanceTarget, options?: AdvanceOptions): Promise<Advanced> =>
    render(await advance(current(), target, options));
  return {
    get now() {
      return new Date(current().now());
    },
    get mode() {
      return current().clock.mode;
    },
    get next() {
      const next = current().world.due.peek();
      return next && renderDue({ at: next.dueAt, kind: next.kind, subject: next.subject });
    },
    advance: async (by, options) => move({ byMs: parseDuration(by) }, options),
    advanceToNext: (options) => move({ toNext: true }, options),
    set: async (to, options) => move({ to: parseTarget(to) }, options),
    freeze: async () => setClockMode(current(), "frozen"),
    resume: async () => setClockMode(current(), "running"),
  };
}

/** Undefined for a value that is not an instant. */
export function instantOf(value: unknown): Instant | undefined {
  if (!(value instanceof Date)) return parseInstant(value);
  return Number.isNaN(value.getTime()) ? undefined : parseInstant(toIso(value.getTime()));
}

function parseTarget(to: string | Date): Instant {
  const instant = instantOf(to);
  if (instant !== undefined) return instant;
  const given = to instanceof Date ? "an invalid date" : JSON.stringify(to);
  throw new UsageError(
    "input",
    `Failed to set the clock: ${given} is no instant. Give an ISO 8601 text such as "2026-01-15T09:00:00Z", or a date.`,
  );
}

function render({ now, fired, firedCount, deliveries, unfinished }: AdvanceResult): Advanced {
  return { now: new Date(now), fired: fired.map(renderDue), firedCount, deliveries, unfinished };
}

function renderDue(item: { readonly at: Instant; readonly kind: DueKind; readonly subject: string }): DueItem {
  return { at: new Date(item.at), kind: item.kind, id: shownSubject(item) };
}
