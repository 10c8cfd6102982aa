import { parseDuration } from "../kernel/duration.js";
import { parseInstant, toIso } from "../kernel/instant.js";
import { UsageError } from "../kernel/problem.js";
import { advance, type AdvanceOptions, type AdvanceResult, type AdvanceTarget } from "../sandbox/advance.js";
import type { Company } from "../sandbox/company.js";

/** What an advance did; instants as dates. */
export interface Advanced {
  readonly now: Date;
  /** The first 10 000 timers that fired, in order. */
  readonly fired: readonly { readonly at: Date; readonly kind: string; readonly id: string }[];
  readonly firedCount: number;
  readonly deliveries: AdvanceResult["deliveries"];
}

/** One company's time. */
export interface ClockHandle {
  readonly now: Date;
  readonly mode: "running" | "frozen";
  /** By a duration (`1h`, `PT1H`, ms). Resolves when everything that it made due has happened and every attempt to deliver is over. */
  advance(by: string | number, options?: AdvanceOptions): Promise<Advanced>;
  /** To the next thing that is due. */
  advanceToNext(options?: AdvanceOptions): Promise<Advanced>;
  /** To an instant, which must not be past: an ISO 8601 text or a date. */
  set(to: string | Date, options?: AdvanceOptions): Promise<Advanced>;
  freeze(): Promise<void>;
  resume(): Promise<void>;
}

export function createClockHandle(current: () => Company): ClockHandle {
  const move = async (target: AdvanceTarget, options?: AdvanceOptions): Promise<Advanced> =>
    render(await advance(current(), target, options));
  const setMode = async (mode: "running" | "frozen"): Promise<void> => {
    const company = current();
    await company.exclusively(async () => {
      await company.ready();
      company.clock.setMode(mode);
      company.rearm();
    });
  };
  return {
    get now() {
      return new Date(current().now());
    },
    get mode() {
      return current().clock.mode;
    },
    advance: async (by, options) => move({ byMs: parseDuration(by) }, options),
    advanceToNext: (options) => move({ toNext: true }, options),
    set: async (to, options) => {
      const instant = parseInstant(to instanceof Date ? toIso(to.getTime()) : to);
      if (instant === undefined)
        throw new UsageError("input", `The clock must be set to an ISO 8601 instant or a date, got ${String(to)}.`);
      return move({ to: instant }, options);
    },
    freeze: () => setMode("frozen"),
    resume: () => setMode("running"),
  };
}

function render({ now, fired, firedCount, deliveries }: AdvanceResult): Advanced {
  return {
    now: new Date(now),
    fired: fired.map(({ at, kind, subject }) => ({
      at: new Date(at),
      kind,
      id: kind === "transfer.settle" ? `txn_${subject}` : subject,
    })),
    firedCount,
    deliveries,
  };
}
