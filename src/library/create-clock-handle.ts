import { type DueKind, shownSubject } from "../domain/model/work.js";
import { parseDuration } from "../kernel/duration.js";
import { type Instant, parseInstant, toIso } from "../kernel/instant.js";
import { UsageError } from "../kernel/problem.js";
import { type AdvanceResult, type AdvanceTarget, advance, setClockMode } from "../sandbox/clock/advance.js";
import type { Company } from "../sandbox/company/company.js";
import type { AdvanceOptions, Advanced, ClockHandle, DueItem } from "./clock-handle.js";

/** `current` is asked at each call: a reset puts another company in the place of the first. */
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

/** Undefined for what is no instant. */
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
