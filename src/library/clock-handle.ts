import type * as z from "zod";
import { type DueKind, shownSubject } from "../domain/model/work.js";
import { parseDuration } from "../kernel/time/duration.js";
import type { Instant } from "../kernel/time/instant.js";
import { UsageError } from "../kernel/messages/problem.js";
import {
  type AdvanceOptions as AllOptions,
  type AdvanceResult,
  type AdvanceTarget,
  advance,
  setClockMode,
} from "../sandbox/company/advance.js";
import type { Company } from "../sandbox/company/company.js";
import { flag } from "../kernel/fields.js";
import { show } from "../domain/profile/setting-problems.js";
import { checkOptions, instantOf, valueThat } from "./sandbox-options.js";

/** One company's time. Durations are `1d2h59m59.999s`, ISO 8601 (`PT1H`) or a number of milliseconds; instants are ISO 8601 texts or dates. */
export interface ClockHandle {
  readonly now: Date;
  readonly mode: "running" | "frozen";
  /** The next due item; undefined when there is none. */
  readonly next: DueItem | undefined;
  /**
   * Moves time forward from one due item to the next, each at its own instant. Resolves when all of them have happened and every delivery attempt
   * has ended, including all retries within that time. Rejects with `UsageError` for a wrong duration.
   *
   * @example
   * ```ts
   * await sandbox.clock.advance("1h"); // an unpaid charge is dropped now
   * ```
   */
  advance(by: string | number, options?: AdvanceOptions): Promise<Advanced>;
  /** Moves time to the next due item, if there is one. */
  advanceToNext(options?: AdvanceOptions): Promise<Advanced>;
  /** Moves time forward to an instant. Rejects with `UsageError` for one in the past: only `reset` moves the clock back. */
  set(to: string | Date, options?: AdvanceOptions): Promise<Advanced>;
  /** Stops the clock: time moves only by `advance`, `advanceToNext` and `set`. */
  freeze(): Promise<void>;
  /** Lets the clock run from its present time, as fast as real time. */
  resume(): Promise<void>;
}

export type AdvanceOptions = Omit<AllOptions, "mode">;

/** A scheduled action of the sandbox. */
export interface DueItem {
  readonly at: Date;
  readonly kind: "charge.expire" | "transfer.settle" | "payment.settle" | "delivery.attempt";
  /** The id in the API of the charge, transaction or delivery; for a payment, that of its entry in the charge. */
  readonly id: string;
}

/** The result of an advance. */
export interface Advanced {
  readonly now: Date;
  /** The first 10 000 items that happened, in order. */
  readonly fired: readonly DueItem[];
  readonly firedCount: number;
  /** Counts of the delivery attempts that began during the advance. */
  readonly deliveries: { readonly attempted: number; readonly succeeded: number; readonly failed: number };
  /** Ids of the deliveries whose attempt was still in flight at the end. */
  readonly unfinished: readonly string[];
}

/** `current` is called each time, because a reset replaces the company. */
export function createClockHandle(current: () => Company): ClockHandle {
  const move = async (target: AdvanceTarget, options: AdvanceOptions = {}): Promise<Advanced> => {
    checkOptions("move the clock", options, advanceFields);
    return render(await advance(current(), target, options));
  };
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

const advanceFields: Readonly<Record<keyof AdvanceOptions, z.ZodType>> = {
  settle: flag,
  lookAhead: flag,
  maxWaitMs: valueThat("a number of milliseconds from 0", (value) => typeof value === "number" && value >= 0),
};

function parseTarget(to: string | Date): Instant {
  const instant = instantOf(to);
  if (instant !== undefined) return instant;
  const given = to instanceof Date ? "an invalid date" : show(to);
  throw new UsageError(
    "input",
    `Failed to set the clock: ${given} is not an instant. Give an ISO 8601 text such as "2026-01-15T09:00:00Z", or a date.`,
  );
}

function render({ now, fired, firedCount, deliveries, unfinished }: AdvanceResult): Advanced {
  return { now: new Date(now), fired: fired.map(renderDue), firedCount, deliveries, unfinished };
}

function renderDue(item: { readonly at: Instant; readonly kind: DueKind; readonly subject: string }): DueItem {
  return { at: new Date(item.at), kind: item.kind, id: shownSubject(item) };
}
