import { UsageError } from "../../kernel/messages/problem.js";
import { Abandoned, type Exchange } from "../wire/check.js";
import { familyOf, type Step } from "../wire/events.js";
import { isSuccess, judgeProof } from "../wire/judge.js";
import { post } from "../wire/stage.js";
import { type Change, isSameChange } from "../application/change.js";
import type { Names } from "../application/normalize.js";
import { openOrder, type Order } from "../application/orders.js";
import {
  type Delivery,
  describeSchedule,
  keyOf,
  orderKeyOf,
  realHistoryOf,
  type Schedule,
} from "../application/schedule.js";
import { type StateSession, type StateTrial, whyUnread } from "./state-session.js";

/** Thrown when the state cannot be read after these deliveries. */
export class StateLost extends Error {
  override readonly name = "StateLost";
  readonly schedule: Schedule;
  readonly exchanges: readonly Exchange[];

  constructor(schedule: Schedule, exchanges: readonly Exchange[], cause: UsageError) {
    super(whyUnread(cause), { cause });
    this.schedule = schedule;
    this.exchanges = exchanges;
  }
}

const PAUSE_MIN_MS = 25;
/** Additional readings before an unexpected state counts as wrong. */
const LATE_READINGS_MAX = 3;
/** Rounds in which refused events are delivered again, one by one, as the service does. */
const ROUNDS_MAX = 2;

const WRONG_SECRET = "the audit's, and not the company's";

interface Played {
  readonly change: Change;
  /** The last exchange of each delivery. */
  readonly exchanges: readonly Exchange[];
  /** The same change, without the places that have been ignored since. */
  readonly changeNow: () => Change;
  /** Deliveries that were refused at first, and made once more. */
  readonly redelivered: Schedule;
  /** What each delivery changed. Only `playStepwise` measures it. */
  readonly effects: readonly Change[];
}

interface Orders {
  readonly orders: ReadonlyMap<string, Order>;
  readonly names: Names;
}

/** Delivers a schedule about new orders. Refused deliveries are made again at the end, because an application may refuse an event that comes too early. */
async function deliver(trial: StateTrial, schedule: Schedule, afterEach?: (index: number) => Promise<void>) {
  const session = trial.state;
  const { orders, names } = await openOrders(session, schedule);
  const { latest } = session.app;
  const before = latest === undefined ? await session.app.readSettled() : latest.state;
  const exchanges: Exchange[] = [];
  const redelivered: Delivery[] = [];
  for (const [index, delivery] of schedule.entries()) {
    exchanges.push(await sendOne(trial, schedule, index, orders.get(orderKeyOf(delivery))));
    await afterEach?.(index);
  }
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const refused = schedule.flatMap((delivery, index) => (isToRetry(delivery, exchanges[index]) ? [index] : []));
    if (refused.length === 0) break;
    await session.options.system.sleep(Math.max(PAUSE_MIN_MS, session.app.pauseMs));
    for (const index of refused) {
      const { copies: _copies, ...delivery } = schedule[index]!;
      redelivered.push(delivery);
      exchanges[index] = await sendOne(trial, schedule.with(index, delivery), index, orders.get(orderKeyOf(delivery)));
    }
  }
  return { exchanges, names, before, redelivered };
}

function isToRetry({ order, forged }: Delivery, exchange: Exchange | undefined): boolean {
  const isAccepted = exchange?.answer !== null && exchange?.answer !== undefined && isSuccess(exchange.answer);
  return !isAccepted && forged === undefined && order !== "unknown";
}

/** The exchange of one delivery; of several copies at once, the one with the worst answer. */
async function sendOne(
  trial: StateTrial,
  schedule: Schedule,
  index: number,
  order: Order | undefined,
): Promise<Exchange> {
  const delivery = schedule[index];
  if (delivery === undefined || order === undefined) throw new TypeError("There is no such delivery.");
  const session = trial.state;
  const { forged, copies = 1 } = delivery;
  const isRespelled = session.respelled.has(familyOf(delivery.step));
  const subscription = isRespelled ? (delivery.subscription === 1 ? 2 : 1) : delivery.subscription;
  const body = await order.bodyOf({ step: delivery.step, subscription });
  const signature = forged === "unsigned" ? null : trial.sign(body, forged === undefined ? undefined : WRONG_SECRET);
  const request = post(trial, `the event "${describeSchedule(schedule)[index]}"`, body, { signature });
  session.sent += copies;
  const sent = await Promise.all(Array.from({ length: copies }, () => trial.send(request)));
  session.app.noteDelivery();
  const [worst] = sent.toSorted((one, other) => (other.answer?.status ?? 600) - (one.answer?.status ?? 600));
  if (worst === undefined) throw new TypeError("Nothing was sent.");
  return worst;
}

async function readAfter(session: StateSession, schedule: Schedule, exchanges: readonly Exchange[], isSettled = true) {
  try {
    return await (isSettled ? session.app.readSettled() : session.app.read());
  } catch (error) {
    throw error instanceof UsageError ? new StateLost(schedule, exchanges, error) : error;
  }
}

/** Delivers a schedule. A state that is not as `expected` is read again, because the application may work after its answer. */
export async function play(trial: StateTrial, schedule: Schedule, expected?: Change): Promise<Played> {
  const session = trial.state;
  const { exchanges, names, before, redelivered } = await deliver(trial, schedule);
  let after = await readAfter(session, schedule, exchanges);
  const changeNow = (): Change => session.app.changeOf(before, after, names);
  const { isSlow } = session.app;
  for (let tries = 0; tries < (isSlow ? 1 : LATE_READINGS_MAX); tries++) {
    if (expected === undefined || isSameChange(changeNow(), expected)) break;
    await session.options.system.sleep(isSlow ? session.app.pauseMs : Math.max(PAUSE_MIN_MS, 3 * session.app.pauseMs));
    after = await readAfter(session, schedule, exchanges);
  }
  return { change: changeNow(), exchanges, redelivered, changeNow, effects: [] };
}

/** Delivers a schedule and reads the state after each delivery. `between` runs after the first delivery, and the state is read after it too. */
export async function playStepwise(
  trial: StateTrial,
  schedule: Schedule,
  between?: () => Promise<void>,
): Promise<Played> {
  const session = trial.state;
  const readings: unknown[] = [];
  const { exchanges, names, before, redelivered } = await deliver(trial, schedule, async (index) => {
    readings.push(await readAfter(session, schedule, []));
    if (index > 0 || between === undefined) return;
    await between();
    readings.push(await readAfter(session, schedule, []));
  });
  const after = redelivered.length > 0 ? await readAfter(session, schedule, exchanges) : readings.at(-1);
  const all = [before, ...readings.slice(0, -1), after];
  const changeNow = (): Change => session.app.changeOf(before, after, names);
  // A delivery that was refused at first has its effect later, so effects cannot be attributed to deliveries.
  const effects =
    redelivered.length > 0
      ? []
      : all.slice(1).map((reading, index) => session.app.changeOf(all[index], reading, names));
  return { change: changeNow(), exchanges, redelivered, changeNow, effects };
}

/** Delivers the history of a family for the first time, and measures how long after the last answer the state still changes. */
export async function measure(trial: StateTrial, history: Schedule): Promise<Played> {
  const session = trial.state;
  const { system, settleMs } = session.options;
  const { exchanges, names, before, redelivered } = await deliver(trial, history);
  const start = system.monotonic();
  const pauseMs = Math.max(PAUSE_MIN_MS, settleMs / 100);
  // The first reading shows what was done before the answer, however long the reading took.
  let after = await readAfter(session, history, exchanges, false);
  let [firstChangeMs, lastChangeMs, gapMs] = [0, 0, 0];
  for (
    let waited = 0;
    waited <= lastChangeMs + settleMs && waited < BUSY_FACTOR_MAX * settleMs;
    waited = system.monotonic() - start
  ) {
    await system.sleep(pauseMs);
    const next = await readAfter(session, history, exchanges, false);
    if (session.app.changeOf(after, next, names).length > 0) {
      const now = system.monotonic() - start;
      if (lastChangeMs === 0) firstChangeMs = now;
      else gapMs = Math.max(gapMs, now - lastChangeMs);
      lastChangeMs = now;
    }
    after = next;
  }
  if (lastChangeMs > 0) {
    const withSlack = (ms: number): number => Math.round(1.25 * ms) + PAUSE_MIN_MS;
    session.app.pauseMs = Math.max(session.app.pauseMs, withSlack(firstChangeMs));
    session.app.quietMs = Math.max(session.app.quietMs, withSlack(Math.max(gapMs, firstChangeMs / 10)));
  }
  session.app.beginWatch();
  const changeNow = (): Change => session.app.changeOf(before, after, names);
  return { change: changeNow(), exchanges, redelivered, changeNow, effects: [] };
}

/** The audit stops waiting for an application that is still busy after this many times `settleMs`. */
const BUSY_FACTOR_MAX = 5;

/** The effect of a schedule's real history. It is played once for all schedules with the same history. */
export async function playHistory(trial: StateTrial, schedule: Schedule): Promise<Change> {
  const { histories } = trial.state;
  const history = realHistoryOf(schedule);
  if (history.length === 0) return [];
  const known = histories.get(keyOf(history));
  if (known !== undefined) return known;
  const { change, exchanges } = await play(trial, history);
  const unproven = judgeProof(exchanges);
  if (unproven !== undefined) throw new Abandoned(unproven.reason);
  histories.set(keyOf(history), change);
  return change;
}

async function openOrders(session: StateSession, schedule: Schedule): Promise<Orders> {
  const opened = new Map<string, Order>();
  const history = realHistoryOf(schedule);
  for (const delivery of schedule) {
    const [key, family] = [orderKeyOf(delivery), familyOf(delivery.step)];
    if (opened.has(key)) continue;
    const steps = history.filter((past) => orderKeyOf(past) === key).map((past): Step => past.step);
    const made = await openOrder(session.options, delivery.order, family, steps);
    opened.set(key, made);
    // The unknown order is the audit's own: its amount is not that of the application's orders.
    if (family !== "charge" || delivery.order === "unknown") continue;
    session.amountXof = made.amountXof;
    session.profile = made.profile;
  }
  // The last reading still holds, unless the application has just made an order.
  if (session.options.order !== undefined) session.app.noteOrder();
  // The longest names come first, because one may contain another.
  const names = [...opened].flatMap(([place, order]) => order.names.map((name) => [name, `<${place} order>`] as const));
  return { orders: opened, names: new Map(names.toSorted(([one], [other]) => other.length - one.length)) };
}
