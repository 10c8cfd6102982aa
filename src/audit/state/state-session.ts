import { UsageError } from "../../kernel/problem.js";
import type { Exchange, Failure } from "../wire/check.js";
import { type AuditEvent, type Stage, post } from "../wire/stage.js";
import { type Change, type Names, changeOf, isSameChange } from "./change.js";
import { type Order, type OrderOptions, type Orders, createOrders } from "./orders.js";
import { type SandboxDoor, createSandboxOrders } from "./sandbox-orders.js";
import {
  type Family,
  type OrderName,
  type Schedule,
  type StateCheckId,
  describeSchedule,
  familyOf,
  keyOf,
  realHistoryOf,
} from "./schedule.js";
import { type StateSource, readState } from "./state-reader.js";

export interface StateOptions extends OrderOptions {
  /** What prints the application's state. */
  readonly check: StateSource;
  /** The sandbox that the application runs against, if any. */
  readonly sandbox: SandboxDoor | undefined;
  /** The one event that the user has given, if any. */
  readonly event: AuditEvent | undefined;
  /** For the scenario that reproduces a failure. */
  readonly receiverUrl: string;
}

/** What a schedule has done to the application. */
export interface Effect {
  readonly change: Change;
  /** One for each delivery. */
  readonly exchanges: readonly Exchange[];
}

/** The application's state in the course of an audit: it is changed by schedules, one at a time, each about orders of its own. */
export interface StateSession {
  readonly options: StateOptions;
  readonly orders: Orders;
  /** The checks that have found something. */
  readonly failed: Set<StateCheckId>;
  /** Between two readings that must be equal before the state counts as settled. 0: the application works before it answers. */
  pauseMs: number;
  /** What the real history of a schedule does, by the history's key. */
  readonly histories: Map<string, Change>;
  /** Undefined until it was looked at. */
  ready: Readiness | undefined;
  /** As it was last read. */
  latest: { readonly state: unknown } | undefined;
  /** Deliveries of the check that runs. */
  sent: number;
}

/** Families of which there can be orders, and those whose history changes the state; or why no schedule can be judged. */
export type Readiness =
  | { readonly families: ReadonlySet<Family>; readonly moved: ReadonlySet<Family> }
  | { readonly unfit: string; /** Events that the receiver does not take. */ readonly refusal?: Failure };

/** After these deliveries the state cannot be read any more. */
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

export function createStateSession(options: StateOptions): StateSession {
  return {
    options,
    orders: options.sandbox === undefined ? createOrders(options) : createSandboxOrders(options, options.sandbox),
    failed: new Set(),
    pauseMs: 0,
    histories: new Map(),
    ready: undefined,
    latest: undefined,
    sent: 0,
  };
}

/** To be called when a check begins: others may have changed the state since. */
export function beginCheck(session: StateSession): void {
  session.sent = 0;
  session.latest = undefined;
}

const PAUSE_MIN_MS = 25;
const REST_MS = 150;
/** Until two in a row are equal. */
const READINGS_MAX = 8;
/** Of a state that is not as it should be, before it counts as wrong. */
const LATE_READINGS_MAX = 3;
/** An application that has changed nothing for so long is taken to be done with what it was told. */
const QUIET_MS = 1000;
const LAG_MAX_MS = 1000;

/** Nobody's. */
const WRONG_SECRET = "the audit's, and not the company's";

async function read(session: StateSession): Promise<unknown> {
  const { check, system, timeoutMs } = session.options;
  const state = await readState(check, { name: "--check", system, timeoutMs });
  session.latest = { state };
  return state;
}

/** The state before anything is delivered. Only an order that the application has just made can have changed it since it was read. */
async function readBefore(session: StateSession): Promise<unknown> {
  return session.latest === undefined || session.options.order !== undefined ? read(session) : session.latest.state;
}

/** The state when nothing is delivered, once it has come to rest: what came before may still be worked on. Undefined when it does not. */
export async function restingState(session: StateSession): Promise<{ readonly state: unknown } | undefined> {
  let state = await read(session);
  for (let readings = 1; readings < READINGS_MAX; readings++) {
    await session.options.system.sleep(REST_MS);
    const next = await read(session);
    if (changeOf(state, next, new Map()).kind === "none") return { state: next };
    state = next;
  }
  return undefined;
}

/** What a state is good for that is to be compared. */
export const USEFUL = "Let it print only what hangs on the events alone, such as counts, sums and statuses";
export const CHANGES_BY_ITSELF = `what --check prints changes while nothing is delivered. ${USEFUL}`;

/**
 * Delivers a schedule about fresh orders, and tells what it has changed. With `expected`, a state that is not yet as expected is given more time: the application may
 * work after its answer.
 */
export async function play(
  session: StateSession,
  stage: Stage,
  schedule: Schedule,
  expected?: Change,
): Promise<Effect> {
  const orders = await openOrders(session, schedule);
  const before = await readBefore(session);
  const exchanges = await deliver(session, stage, schedule, orders);
  const names = namesOf(orders);
  const readChange = async (): Promise<Change> => {
    return changeOf(before, await orLost(settled(session), schedule, exchanges), names);
  };
  let change = await readChange();
  if (expected === undefined) return { change, exchanges };
  for (let tries = 0; tries < LATE_READINGS_MAX && !isSameChange(change, expected); tries++) {
    await session.options.system.sleep(Math.max(PAUSE_MIN_MS, 3 * session.pauseMs));
    change = await readChange();
  }
  return { change, exchanges };
}

async function deliver(
  session: StateSession,
  stage: Stage,
  schedule: Schedule,
  orders: ReadonlyMap<OrderName, Order>,
): Promise<readonly Exchange[]> {
  const names = describeSchedule(schedule);
  const exchanges: Exchange[] = [];
  for (const [index, delivery] of schedule.entries()) {
    session.sent++;
    const body = orders.get(delivery.order)?.bodyOf(delivery) ?? "";
    const { forged } = delivery;
    const signature = forged === "unsigned" ? null : stage.sign(body, ...(forged === undefined ? [] : [WRONG_SECRET]));
    exchanges.push(await stage.send(post(stage, `the event "${names[index]}"`, body, { signature })));
  }
  return exchanges;
}

/** What the real history of a schedule does to the state. Played once for all schedules with that history. */
export async function playHistory(session: StateSession, stage: Stage, schedule: Schedule): Promise<Change> {
  const history = realHistoryOf(schedule);
  if (history.length === 0) return { kind: "none" };
  const known = session.histories.get(keyOf(history));
  if (known !== undefined) return known;
  const { change } = await play(session, stage, history);
  session.histories.set(keyOf(history), change);
  return change;
}

/** Delivers a schedule. Broken: it changes something else than the history that it tells. */
export async function tryOut(
  session: StateSession,
  stage: Stage,
  schedule: Schedule,
): Promise<{ readonly isBroken: boolean; readonly exchanges: readonly Exchange[] }> {
  const expected = await playHistory(session, stage, schedule);
  const { change, exchanges } = await play(session, stage, schedule, expected);
  return { isBroken: !isSameChange(change, expected), exchanges };
}

/**
 * The first time that a family's history is played: whether it changes the state at all, and how long after the last answer it still does. That is how long a
 * state must stand still from now on before it counts as settled.
 */
export async function measure(session: StateSession, stage: Stage, history: Schedule): Promise<Effect> {
  const { system } = session.options;
  const orders = await openOrders(session, history);
  const before = await readBefore(session);
  const exchanges = await deliver(session, stage, history, orders);
  const names = namesOf(orders);
  const start = system.monotonic();
  // What the first reading shows was done before the answer came, however long the reading took.
  let change = changeOf(before, await orLost(read(session), history, exchanges), names);
  let lagMs = 0;
  for (let waited = 0; waited <= lagMs + QUIET_MS; waited = system.monotonic() - start) {
    await system.sleep(PAUSE_MIN_MS);
    const next = changeOf(before, await read(session), names);
    if (!isSameChange(next, change)) lagMs = Math.min(LAG_MAX_MS, system.monotonic() - start);
    change = next;
  }
  if (lagMs > 0) session.pauseMs = Math.max(session.pauseMs, Math.round(1.25 * lagMs) + PAUSE_MIN_MS);
  return { change, exchanges };
}

async function orLost(reading: Promise<unknown>, schedule: Schedule, exchanges: readonly Exchange[]): Promise<unknown> {
  return reading.catch((error: unknown) => {
    throw error instanceof UsageError ? new StateLost(schedule, exchanges, error) : error;
  });
}

/** The state once two readings in a row are equal; of an application that works before it answers, one is enough. */
async function settled(session: StateSession): Promise<unknown> {
  let state = await read(session);
  for (let readings = 1; session.pauseMs > 0 && readings < READINGS_MAX; readings++) {
    await session.options.system.sleep(session.pauseMs);
    const next = await read(session);
    if (changeOf(state, next, new Map()).kind === "none") return next;
    state = next;
  }
  return state;
}

async function openOrders(session: StateSession, schedule: Schedule): Promise<ReadonlyMap<OrderName, Order>> {
  const opened = new Map<OrderName, Order>();
  const history = realHistoryOf(schedule);
  for (const { order, step } of schedule) {
    if (opened.has(order)) continue;
    const steps = history.filter((past) => past.order === order).map((past) => past.step);
    opened.set(order, await session.orders.open(order, familyOf(step), steps));
  }
  return opened;
}

/** The longer name first: one may be a part of another. */
function namesOf(orders: ReadonlyMap<OrderName, Order>): Names {
  const names = [...orders].flatMap(([place, order]) => order.names.map((name) => [name, `<${place} order>`] as const));
  return new Map(names.toSorted(([one], [other]) => other.length - one.length));
}
