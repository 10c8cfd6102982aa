import type { ClockMode } from "../../kernel/clock.js";
import { formatDuration } from "../../kernel/duration.js";
import { type Instant, LATEST, toIso } from "../../kernel/instant.js";
import { UsageError } from "../../kernel/problem.js";
import type { Company } from "../company/company.js";
import { CONCURRENT_ATTEMPTS_PER_RECEIVER, type DispatchCounts } from "../delivery/dispatcher.js";
import type { DueKind } from "../../domain/model/work.js";

export interface AdvanceOptions {
  /** Wait until every attempt that the span caused is over (default), or answer after the timers. */
  readonly settle?: boolean | undefined;
  /** Let time run ahead of attempts that are in flight: faster, and no longer repeatable. */
  readonly lookAhead?: boolean | undefined;
  /** Bound of the real time spent waiting for receivers, ms. */
  readonly maxWaitMs?: number | undefined;
  /** How the clock goes on from there; as before when not given. */
  readonly mode?: ClockMode | undefined;
}

export interface FiredItem {
  readonly at: Instant;
  readonly kind: DueKind;
  readonly subject: string;
}

export interface AdvanceResult {
  readonly now: Instant;
  /** The first {@link FIRED_MAX}, in order. */
  readonly fired: readonly FiredItem[];
  readonly firedCount: number;
  /** Of the attempts that began meanwhile; those that were in flight before are not among them. */
  readonly deliveries: DispatchCounts;
  /** Deliveries whose attempts were not over when waiting ended. */
  readonly unfinished: readonly string[];
}

export type AdvanceTarget = { readonly byMs: number } | { readonly to: Instant } | { readonly toNext: true };

export const FIRED_MAX = 10_000;
export const MAX_WAIT_MS = 60_000;

/** Due items handled before requests get their turn: as many as one receiver is sent at a time. */
const SLICE = CONCURRENT_ATTEMPTS_PER_RECEIVER;

/** Real time within which receivers take what a slice owes them, or are not waited for on the way any more, ms. */
const KEEPING_UP_MS = 20;

/**
 * Moves a company's time forward, from due item to due item up to and including the target, with the clock at each item's own instant. Nothing at
 * a later instant runs while an attempt to deliver is in flight: network calls take no sandbox time, so a whole retry schedule passes in
 * one call and the same story gives the same bytes.
 *
 * Throws UsageError("input") for a target in the past.
 */
export function advance(company: Company, target: AdvanceTarget, options: AdvanceOptions = {}): Promise<AdvanceResult> {
  return company.exclusively(() => advanceNow(company, target, options));
}

async function advanceNow(company: Company, target: AdvanceTarget, options: AdvanceOptions): Promise<AdvanceResult> {
  await company.ready();
  assertOpen(company);
  const start = company.now();
  assertAhead(start, target);
  const { quiet, room } = createWaits(company, options);
  const patient = options.lookAhead !== true;
  const settles = options.settle !== false;
  const fired: FiredItem[] = [];
  let firedCount = 0;
  const counts = company.dispatcher.startCount();
  let end = start;
  company.clock.pin(start);
  company.rearm();
  const unsubscribe = company.events.on("fired", ({ company: other, item }) => {
    if (other !== company) return;
    firedCount++;
    if (fired.length < FIRED_MAX) fired.push({ at: item.dueAt, kind: item.kind, subject: item.subject });
  });
  try {
    // "the next advance or settle waits for what is still in flight": its retries may belong into this span.
    if (patient) await quiet();
    assertOpen(company);
    end = resolveTarget(company, start, target);
    await walk(company, end, {
      between: patient ? quiet : goOn,
      onTheWay: patient && settles ? room : goOn,
      atEnd: settles ? quiet : goOn,
    });
  } finally {
    unsubscribe();
    company.isWalked = false;
    company.clock.release(options.mode);
    company.rearm();
  }
  return {
    now: end,
    fired,
    firedCount,
    deliveries: { ...counts },
    unfinished: company.dispatcher.outstanding,
  };
}

/** Freezes or resumes the clock where it is, after the advances that were asked for before. */
export function setClockMode(company: Company, mode: ClockMode): Promise<void> {
  return company.exclusively(async () => {
    await company.ready();
    assertOpen(company);
    company.clock.setMode(mode);
    company.rearm();
  });
}

/** Waits until no attempt is in flight and nothing is due now. Moves no time. */
export async function settle(
  company: Company,
  options: Pick<AdvanceOptions, "maxWaitMs"> = {},
): Promise<readonly string[]> {
  const { quiet } = createWaits(company, options);
  for (;;) {
    await company.ready();
    const waiting = company.dispatcher.quiet ? undefined : quiet();
    if (waiting === undefined) break;
    await waiting;
  }
  return company.dispatcher.outstanding;
}

/** Waits for the receivers; undefined when the time for waiting is used up. */
type Wait = () => Promise<void> | undefined;

/** Where a walk waits: between two instants, on the way through one, and at the end. */
type Waits = Readonly<Record<"between" | "onTheWay" | "atEnd", Wait>>;

async function walk(company: Company, end: Instant, wait: Waits): Promise<void> {
  const { due } = company.world;
  for (let steps = 0; ; steps++) {
    assertOpen(company);
    const item = due.peek();
    const within = item !== undefined && item.dueAt <= end;
    const isLater = !within || item.dueAt > company.now();
    // At the end of an instant: what its attempts lead to (retries) belongs before everything later.
    const waiting = isLater && !company.dispatcher.quiet ? wait[within ? "between" : "atEnd"]() : undefined;
    company.isWalked = waiting === undefined;
    if (waiting !== undefined) {
      company.wake();
      await waiting;
      continue; // requests came in meanwhile: what is due next may be something else now
    }
    if (!within) break;
    company.clock.pin(item.dueAt);
    company.fire(item);
    if (steps % SLICE === SLICE - 1) await (wait.onTheWay() ?? company.deps.system.yieldToEventLoop());
  }
  company.clock.pin(end);
}

const goOn: Wait = () => undefined;

/**
 * One allowance of real time for all the waiting of one call: until attempts are over, and until receivers that keep up have room for more. What is owed
 * faster than it is taken piles up, and costs the more the longer it lies.
 */
function createWaits(company: Company, { maxWaitMs = MAX_WAIT_MS }: AdvanceOptions): { quiet: Wait; room: Wait } {
  const { dispatcher } = company;
  const { system } = company.deps;
  let left = maxWaitMs;
  let keepsUp = true;
  const spend = async (came: Promise<boolean>): Promise<boolean> => {
    const start = system.monotonic();
    const isThere = await came;
    left -= system.monotonic() - start;
    return isThere;
  };
  const waitForQuiet = async (): Promise<void> => {
    if (!(await spend(dispatcher.quietWithin(system, left)))) left = 0;
  };
  const waitForRoom = async (): Promise<void> => {
    keepsUp = await spend(dispatcher.roomWithin(system, Math.min(left, KEEPING_UP_MS)));
  };
  return {
    quiet: () => (left > 0 ? waitForQuiet() : undefined),
    room: () => (left > 0 && keepsUp && dispatcher.crowded ? waitForRoom() : undefined),
  };
}

/** Refused before anything is waited for. */
function assertAhead(now: Instant, target: AdvanceTarget): void {
  if ("byMs" in target && now + target.byMs > LATEST) {
    throw new UsageError("input", `Failed to move the clock: it goes to ${toIso(LATEST)} at most.`);
  }
  if ("to" in target && target.to < now) {
    const behind = formatDuration(now - target.to);
    throw new UsageError(
      "input",
      `Failed to move the clock: ${toIso(target.to)} is ${behind} in the past (now is ${toIso(now)}). Only reset, restore and putting a state move it back.`,
    );
  }
}

function resolveTarget(company: Company, now: Instant, target: AdvanceTarget): Instant {
  if ("byMs" in target) return now + target.byMs;
  if ("to" in target) return target.to;
  return Math.max(now, company.world.due.peek()?.dueAt ?? now);
}

function assertOpen(company: Company): void {
  if (company.closed)
    throw new UsageError(
      "state",
      "The clock was not advanced to the end: the company was reset, restored or closed meanwhile.",
    );
}
