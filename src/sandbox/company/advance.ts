import type { ClockMode } from "../../kernel/time/clock.js";
import { formatDuration } from "../../kernel/time/duration.js";
import { type Instant, LATEST, toIso } from "../../kernel/time/instant.js";
import { Bug, UsageError } from "../../kernel/messages/problem.js";
import type { Company } from "./company.js";
import type { DispatchCounts } from "./dispatcher.js";
import type { DueKind } from "../../domain/model/work.js";
import { pluralize } from "../../kernel/messages/text.js";

export interface AdvanceOptions {
  /** Wait until every delivery attempt has ended (default), or resolve after the timers. */
  readonly settle?: boolean | undefined;
  /** Move time on while attempts are in flight: faster, but not repeatable. Default false. */
  readonly lookAhead?: boolean | undefined;
  /** The longest real time to wait for receivers, in ms. Default 60 000. */
  readonly maxWaitMs?: number | undefined;
  /** The clock's mode from there on. Default: as before. */
  readonly mode?: ClockMode | undefined;
}

interface FiredItem {
  readonly at: Instant;
  readonly kind: DueKind;
  readonly subject: string;
}

export interface AdvanceResult {
  readonly now: Instant;
  /** The first {@link FIRED_MAX}, in order. */
  readonly fired: readonly FiredItem[];
  readonly firedCount: number;
  /** Counts the attempts that began during the advance, not those that were in flight before. */
  readonly deliveries: DispatchCounts;
  /** Deliveries whose attempts were not over when waiting ended. */
  readonly unfinished: readonly string[];
}

export type AdvanceTarget = { readonly byMs: number } | { readonly to: Instant } | { readonly toNext: true };

export const FIRED_MAX = 10_000;
const MAX_WAIT_MS = 60_000;

/** The most due items that are handled before requests get their turn, and the longest time spent on them, ms. */
const SLICE = 64;
const SLICE_MS = 20;

/**
 * Moves a company's time forward, from due item to due item up to and including the target, with the clock at each item's own instant. Nothing at
 * a later instant runs while a delivery attempt is in flight: network calls take no sandbox time, so a whole retry schedule passes in one call and
 * the same scenario gives the same bytes.
 *
 * Throws UsageError("input") for a target in the past, UsageError("conflict") while an earlier advance waits for receivers.
 */
export function advance(company: Company, target: AdvanceTarget, options: AdvanceOptions = {}): Promise<AdvanceResult> {
  return inTurn(company, () => advanceNow(company, target, options));
}

async function advanceNow(company: Company, target: AdvanceTarget, options: AdvanceOptions): Promise<AdvanceResult> {
  const { clock, dispatcher, events } = company;
  await company.ready();
  assertOpen(company);
  const start = company.now();
  assertAhead(start, target);
  const waitForQuiet = showWaiting(company, createWait(company, options));
  const isPatient = options.lookAhead !== true;
  const fired: FiredItem[] = [];
  let firedCount = 0;
  const counts = dispatcher.startCount();
  let end = start;
  clock.pin(start);
  company.rearm();
  const unsubscribe = events.on("fired", ({ company: other, item }) => {
    if (other !== company) return;
    firedCount++;
    if (fired.length < FIRED_MAX) fired.push({ at: item.dueAt, kind: item.kind, subject: item.subject });
  });
  try {
    // Attempts that an earlier call left in flight may lead to retries within this span.
    if (isPatient) await waitForQuiet();
    assertOpen(company);
    end = resolveTarget(company, start, target);
    await walk(company, end, {
      betweenInstants: isPatient ? waitForQuiet : undefined,
      atEnd: options.settle === false ? undefined : waitForQuiet,
    });
  } finally {
    unsubscribe();
    company.isAdvancing = false;
    clock.release(options.mode);
    company.rearm();
  }
  return { now: end, fired, firedCount, deliveries: { ...counts }, unfinished: dispatcher.outstanding };
}

/** Freezes or resumes the clock at its present time, after the advances that were requested before. Throws as `advance` does. */
export function setClockMode(company: Company, mode: ClockMode): Promise<void> {
  return inTurn(company, async () => {
    await company.ready();
    assertOpen(company);
    company.clock.setMode(mode);
    company.rearm();
  });
}

/** How long a call waits for the attempts in flight, real ms. A receiver that does not itself wait for the clock answers within it. */
const PATIENCE_MS = 500;

/**
 * Runs a call after the calls before it. A receiver that moves the clock in its handler would wait for the advance that waits for its answer. So a call is
 * refused when an advance is waiting and the attempts in flight do not end soon.
 */
async function inTurn<T>(company: Company, task: () => Promise<T>): Promise<T> {
  const { dispatcher } = company;
  const turn = { hasBegun: false, isRefused: false };
  const result = company.exclusively(async () => {
    if (turn.isRefused) throw new Bug("A call that was refused has no turn.");
    turn.hasBegun = true;
    return task();
  });
  await Promise.resolve();
  if (turn.hasBegun) return result;
  const { inFlight } = dispatcher;
  // The advance may be between two waits, and wait later for the receiver that calls now.
  do {
    const ended = dispatcher.endedWithin(inFlight, PATIENCE_MS);
    const hasEnded = await Promise.race([ended, result.then(isOver, isOver)]);
    if (hasEnded || turn.hasBegun) {
      await result.then(isOver, isOver);
      // Thousands of calls may end together, as at a reset.
      await company.nextTurn();
      return result;
    }
  } while (!company.isAdvanceWaiting);
  turn.isRefused = true;
  const waits = `an advance is waiting for receivers to answer ${pluralize(inFlight.length, "webhook")}`;
  const what = "Answer first if this is a receiver, or move the clock when that advance has ended.";
  throw new UsageError("conflict", `Failed to move the clock: ${waits}. ${what}`);
}

function isOver(): boolean {
  return true;
}

/** Waits until no attempt is in flight and nothing is due now. Moves no time. */
export async function settle(
  company: Company,
  options: Pick<AdvanceOptions, "maxWaitMs"> = {},
): Promise<readonly string[]> {
  const waitForQuiet = createWait(company, options);
  for (;;) {
    await company.ready();
    const waiting = company.dispatcher.quiet ? undefined : waitForQuiet();
    if (waiting === undefined) break;
    await waiting;
    // Hundreds of calls may give up together, and each names all deliveries that are left.
    await company.nextTurn();
  }
  return company.dispatcher.outstanding;
}

/** Waits until no attempt is in flight; undefined when the time for waiting is used up. */
type Wait = () => Promise<void> | undefined;

async function walk(
  company: Company,
  end: Instant,
  wait: Readonly<Record<"betweenInstants" | "atEnd", Wait | undefined>>,
): Promise<void> {
  const { due } = company.world;
  const { system } = company.deps;
  let turn = system.monotonic();
  for (let steps = 1; ; steps++) {
    assertOpen(company);
    const item = due.peek();
    const isWithin = item !== undefined && item.dueAt <= end;
    const isLater = !isWithin || item.dueAt > company.now();
    // Before time moves on, the attempts of this instant end: retries that they lead to may be due before the next item.
    const waiting =
      isLater && !company.dispatcher.quiet ? (isWithin ? wait.betweenInstants : wait.atEnd)?.() : undefined;
    company.isAdvancing = waiting === undefined;
    if (waiting !== undefined) {
      company.wake();
      await waiting;
      continue; // requests may have been handled meanwhile, so another item may be due next
    }
    if (!isWithin) break;
    company.clock.pin(item.dueAt);
    company.fire(item);
    if (steps % SLICE !== 0 && system.monotonic() - turn < SLICE_MS) continue;
    await company.giveWay();
    turn = system.monotonic();
  }
  company.clock.pin(end);
}

/** Limits the real time of all waiting of one call together. */
function createWait({ dispatcher, deps: { system } }: Company, { maxWaitMs = MAX_WAIT_MS }: AdvanceOptions): Wait {
  let left = maxWaitMs;
  const waitForQuiet = async (): Promise<void> => {
    const start = system.monotonic();
    const isQuiet = await dispatcher.quietWithin(left);
    left = isQuiet ? left - (system.monotonic() - start) : 0;
  };
  return () => (left > 0 ? waitForQuiet() : undefined);
}

/** Sets the company's `isAdvanceWaiting` for as long as `wait` waits. */
function showWaiting(company: Company, wait: Wait): Wait {
  return () => {
    const waiting = wait();
    company.isAdvanceWaiting = waiting !== undefined && !company.dispatcher.quiet;
    return waiting?.finally(() => (company.isAdvanceWaiting = false));
  };
}

/** Refuses a target in the past, or beyond the latest time, before anything is waited for. */
function assertAhead(now: Instant, target: AdvanceTarget): void {
  if ("byMs" in target && now + target.byMs > LATEST) refuseBeyond();
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
  const next = company.world.due.peek()?.dueAt ?? now;
  return next > LATEST ? refuseBeyond() : Math.max(now, next);
}

function refuseBeyond(): never {
  throw new UsageError("input", `Failed to move the clock: the latest time is ${toIso(LATEST)}.`);
}

function assertOpen(company: Company): void {
  if (company.closed)
    throw new UsageError(
      "state",
      "The clock was not advanced to the end: the company was reset, restored or closed meanwhile.",
    );
}
