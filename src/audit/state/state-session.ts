import { UsageError } from "../../kernel/messages/problem.js";
import type { AuditEvent, Exchange, Failure, Stage } from "../wire/check.js";
import { type Family, familyOf } from "../wire/events.js";
import { post } from "../wire/stage.js";
import { type Change, changeOf, isSameChange, type Names } from "./change.js";
import { openOrder, type Order, type OrderOptions } from "./orders.js";
import {
  describeSchedule,
  keyOf,
  type OrderName,
  realHistoryOf,
  type Schedule,
  type StateCheckId,
} from "./schedule.js";
import { readState, type StateSource } from "./state-reader.js";

export interface StateOptions extends OrderOptions {
  /** Prints the application's state. */
  readonly check: StateSource;
  /** The one event that the user has given, if any. */
  readonly event: AuditEvent | undefined;
  /** For the scenario that reproduces a failure. */
  readonly receiverUrl: string;
}

/** The state of the application during an audit. Schedules change it, one at a time, each with new orders. */
export class StateSession {
  readonly options: StateOptions;
  readonly failed = new Set<StateCheckId>();
  /** Between two readings that must be equal before the state counts as settled. 0: the application works before it answers. */
  pauseMs = 0;
  /** Key of a real history → its effect. */
  readonly histories = new Map<string, Change>();
  /** Undefined until the ordinary histories have been played. */
  ready: Readiness | undefined;
  /** The last reading of the current check. */
  latest: { readonly state: unknown } | undefined;
  /** Deliveries of the current check. */
  sent = 0;

  constructor(options: StateOptions) {
    this.options = options;
  }

  /** Other checks may have changed the state. */
  beginCheck(): void {
    this.sent = 0;
    this.latest = undefined;
  }
}

/** What one check of the state works with. */
export interface StateTrial extends Stage {
  readonly state: StateSession;
}

/** The families that have orders, and whether any history changes the state; or why no schedule can be judged. */
export type Readiness =
  | { readonly families: ReadonlySet<Family>; readonly hasMoved: boolean }
  | { readonly unfit: string; /** The receiver does not accept ordinary events. */ readonly refusal?: Failure };

/** The state cannot be read after these deliveries. */
export class StateLost extends Error {
  override readonly name = "StateLost";
  readonly schedule: Schedule;
  readonly exchanges: readonly Exchange[];

  constructor(schedule: Schedule, exchanges: readonly Exchange[], cause: UsageError) {
    super(cause.message.replace(/\.$/, ""), { cause });
    this.schedule = schedule;
    this.exchanges = exchanges;
  }
}

const PAUSE_MIN_MS = 25;
const REST_MS = 150;
/** Until two in a row are equal. */
const READINGS_MAX = 8;
/** Additional readings before an unexpected state counts as wrong. */
const LATE_READINGS_MAX = 3;
/** An application that has changed nothing for so long counts as done. */
const QUIET_MS = 1000;
const LAG_MAX_MS = 1000;

const WRONG_SECRET = "the audit's, and not the company's";

async function read(session: StateSession): Promise<unknown> {
  const { check, system, timeoutMs } = session.options;
  const state = await readState(check, { name: "--check", system, timeoutMs });
  session.latest = { state };
  return state;
}

/** Reads until two states in a row are equal, a limited number of times. */
async function readUntilStable(session: StateSession, pauseMs: number) {
  let state = await read(session);
  for (let readings = 1; readings < READINGS_MAX; readings++) {
    await session.options.system.sleep(pauseMs);
    const next = await read(session);
    if (changeOf(state, next, new Map()).length === 0) return { state: next, isStable: true };
    state = next;
  }
  return { state, isStable: false };
}

/** The state once earlier deliveries have been handled. Undefined when it keeps changing. */
export async function restingState(session: StateSession): Promise<{ readonly state: unknown } | undefined> {
  const reading = await readUntilStable(session, REST_MS);
  return reading.isStable ? reading : undefined;
}

/** The state after deliveries. One reading is enough for an application that works before it answers. */
async function settledState(session: StateSession): Promise<unknown> {
  return session.pauseMs === 0 ? read(session) : (await readUntilStable(session, session.pauseMs)).state;
}

/** Delivers a schedule about new orders. `readChange` compares the state with the one before the deliveries. */
async function deliver(trial: StateTrial, schedule: Schedule) {
  const session = trial.state;
  const orders = await openOrders(session, schedule);
  const names = namesOf(orders);
  // The last reading still holds, unless the application has just made an order.
  const { latest, options } = session;
  const before = latest === undefined || options.order !== undefined ? await read(session) : latest.state;
  const descriptions = describeSchedule(schedule);
  const exchanges: Exchange[] = [];
  for (const [index, delivery] of schedule.entries()) {
    session.sent++;
    const body = orders.get(delivery.order)?.bodyOf(delivery) ?? "";
    const { forged } = delivery;
    const signature = forged === "unsigned" ? null : trial.sign(body, forged === undefined ? undefined : WRONG_SECRET);
    exchanges.push(await trial.send(post(trial, `the event "${descriptions[index]}"`, body, { signature })));
  }
  const readChange = async (reading: (session: StateSession) => Promise<unknown>): Promise<Change> => {
    const after = await reading(session).catch((error: unknown) => {
      throw error instanceof UsageError ? new StateLost(schedule, exchanges, error) : error;
    });
    return changeOf(before, after, names);
  };
  return { exchanges, readChange };
}

/** Delivers a schedule; returns its effect on the state, and an exchange for each delivery. A state that is not as `expected` is read again: the application may work after its answer. */
export async function play(trial: StateTrial, schedule: Schedule, expected?: Change) {
  const session = trial.state;
  const { exchanges, readChange } = await deliver(trial, schedule);
  let change = await readChange(settledState);
  if (expected === undefined) return { change, exchanges };
  for (let tries = 0; tries < LATE_READINGS_MAX && !isSameChange(change, expected); tries++) {
    await session.options.system.sleep(Math.max(PAUSE_MIN_MS, 3 * session.pauseMs));
    change = await readChange(settledState);
  }
  return { change, exchanges };
}

/** Delivers the history of a family for the first time, and measures how long after the last answer the state still changes. */
export async function measure(trial: StateTrial, history: Schedule) {
  const session = trial.state;
  const { system } = session.options;
  const { exchanges, readChange } = await deliver(trial, history);
  const start = system.monotonic();
  // The first reading shows what was done before the answer, however long the reading took.
  let change = await readChange(read);
  let lagMs = 0;
  for (let waited = 0; waited <= lagMs + QUIET_MS; waited = system.monotonic() - start) {
    await system.sleep(PAUSE_MIN_MS);
    const next = await readChange(read);
    if (!isSameChange(next, change)) lagMs = Math.min(LAG_MAX_MS, system.monotonic() - start);
    change = next;
  }
  if (lagMs > 0) session.pauseMs = Math.max(session.pauseMs, Math.round(1.25 * lagMs) + PAUSE_MIN_MS);
  return { change, exchanges };
}

/** The effect of a schedule's real history. It is played once for all schedules that have it. */
export async function playHistory(trial: StateTrial, schedule: Schedule): Promise<Change> {
  const { histories } = trial.state;
  const history = realHistoryOf(schedule);
  if (history.length === 0) return [];
  const known = histories.get(keyOf(history));
  if (known !== undefined) return known;
  const { change } = await play(trial, history);
  histories.set(keyOf(history), change);
  return change;
}

/** Delivers a schedule. It is broken when its effect differs from that of its real history. */
export async function tryOut(trial: StateTrial, schedule: Schedule) {
  const expected = await playHistory(trial, schedule);
  const { change, exchanges } = await play(trial, schedule, expected);
  return { isBroken: !isSameChange(change, expected), exchanges };
}

async function openOrders(session: StateSession, schedule: Schedule): Promise<ReadonlyMap<OrderName, Order>> {
  const opened = new Map<OrderName, Order>();
  const history = realHistoryOf(schedule);
  for (const { order, step } of schedule) {
    if (opened.has(order)) continue;
    const steps = history.filter((past) => past.order === order).map((past) => past.step);
    opened.set(order, await openOrder(session.options, order, familyOf(step), steps));
  }
  return opened;
}

/** The longest name first: one may contain another. */
function namesOf(orders: ReadonlyMap<OrderName, Order>): Names {
  const names = [...orders].flatMap(([place, order]) => order.names.map((name) => [name, `<${place} order>`] as const));
  return new Map(names.toSorted(([one], [other]) => other.length - one.length));
}
