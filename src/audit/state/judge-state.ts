import { UsageError } from "../../kernel/messages/problem.js";
import type { Exchange, Verdict } from "../wire/check.js";
import { familyOf } from "../wire/events.js";
import { isProof, mustAccept } from "../wire/judge.js";
import { post } from "../wire/stage.js";
import { type Change, describeDifference, isSameChange } from "../application/change.js";
import { CHANGES_BY_ITSELF, getReady } from "./histories.js";
import { describeUnproven, play, playHistory, playStepwise, StateLost } from "./play.js";
import { BOTH_SPELLINGS, describeFailure, describeUneven, NOTHING_MOVED, ONE_SPELLING } from "./describe-failure.js";
import {
  describeSchedule,
  eventsKeyOf,
  historicSteps,
  partsOf,
  realHistoryOf,
  type Schedule,
  seeds,
  stateCheckIds,
  shrinkSchedule,
  type StateCheckId,
  together,
} from "../application/schedule.js";
import { LATE, type StateSession, type StateTrial } from "./state-session.js";
import { describeShipped, isRightInReverse } from "./tolerance.js";

const SCHEDULE = ["the given event", "the given event again", "the given event again"];

/** Delivers the user's event once, and then twice more: only the first delivery may change the state. */
export async function judgeGivenEvent(trial: StateTrial): Promise<Verdict> {
  const session = trial.state;
  const [first, ...others] = SCHEDULE.map((name) => post(trial, name, trial.event().text));
  if (first === undefined || !(await session.app.findVarying()))
    return { outcome: "skipped", reason: CHANGES_BY_ITSELF };
  const verdict = mustAccept([await trial.send(first)]);
  if (verdict.outcome === "failed") return { outcome: "skipped", reason: `not tried: ${verdict.seen}` };
  const before = await session.app.resting();
  const answers: Exchange[] = [];
  for (const request of others) answers.push(await trial.send(request));
  const after = await session.app.resting();
  if (before === undefined || after === undefined) return { outcome: "skipped", reason: CHANGES_BY_ITSELF };
  const change = session.app.changeOf(before.state, after.state);
  if (change.length === 0) return judgeProof(answers) ?? { outcome: "passed" };
  const difference = describeDifference([], change).join("; ");
  return {
    outcome: "failed",
    failing: "wrong",
    seen: `the given event changes the state each time that it comes: ${difference}`,
    schedule: SCHEDULE,
  };
}

/** Plays the schedules until one breaks the application in a way that no earlier check has found, and reports the shortest part of it that does. */
export async function judgeSchedules(trial: StateTrial, id: StateCheckId): Promise<Verdict> {
  return judgeReady(trial, id, async ({ families, hasMoved }) => {
    const session = trial.state;
    const { order, sandbox, checks } = session.options;
    const canJudge = (other: StateCheckId): boolean =>
      other !== "state-unknown-id" || order !== undefined || sandbox !== undefined;
    if (!canJudge(id)) return { outcome: "skipped", reason: NO_KNOWN_ORDERS, isUnasked: true };
    const schedulesOf = (check: StateCheckId): readonly Schedule[] =>
      seeds[check].filter((schedule) => schedule.every(({ step }) => families.has(familyOf(step))));
    if (session.app.isSlow && !session.isTriedTogether) {
      session.isTriedTogether = true;
      await tryTogether(
        trial,
        stateCheckIds.filter((other) => checks.has(other) && canJudge(other)).flatMap(schedulesOf),
      );
      session.beginCheck();
    }
    return judgeEach(trial, id, schedulesOf(id), hasMoved);
  });
}

type Ready = Exclude<Awaited<ReturnType<typeof getReady>>, { unfit: string }>;

/** Once the ordinary histories have been played. */
export async function judgeReady(
  trial: StateTrial,
  id: string,
  judge: (ready: Ready) => Promise<Verdict>,
): Promise<Verdict> {
  const session = trial.state;
  const ready = await getReady(trial);
  if ("unfit" in ready) return { outcome: "skipped", reason: ready.unfit };
  try {
    const verdict = await judge(ready);
    const isUnconfirmed = verdict.outcome === "failed" && verdict.failing === "wrong" && !session.isConfirmed(id);
    if ((session.isUneven || isUnconfirmed) && session.becomePatient()) return await judgeReady(trial, id, judge);
    const isDoubtful =
      verdict.outcome === "failed"
        ? verdict.failing === "wrong"
        : verdict.outcome === "skipped" && verdict.isUnasked !== true;
    if (!isDoubtful || !(await session.app.isBusy())) return verdict;
    session.ready = { unfit: LATE };
    return { outcome: "skipped", reason: LATE };
  } catch (error) {
    if (!(error instanceof StateLost) && !(error instanceof UsageError)) throw error;
    session.ready = { unfit: `not tried: the state could not be read any more since ${id}` };
    if (error instanceof UsageError) return { outcome: "skipped", reason: error.message };
    return describeFailure(trial, error, "crashed", [error.message]);
  }
}

async function judgeEach(
  trial: StateTrial,
  id: StateCheckId,
  schedules: readonly Schedule[],
  hasMoved: boolean,
): Promise<Verdict> {
  const session = trial.state;
  let cause: string | undefined;
  let unacknowledged: Verdict | undefined;
  let unconfirmed: Verdict | undefined;
  if (session.app.isSlow && !schedules.every((schedule) => session.right.has(schedule)))
    await tryTogether(trial, schedules);
  for (const schedule of schedules) {
    if (!mayTry(session)) return { outcome: "skipped", reason: `not done after ${session.sent} deliveries` };
    const known = session.right.get(schedule);
    const { isBroken, exchanges } =
      known === undefined ? await tryOut(trial, schedule) : { isBroken: false, exchanges: known };
    unacknowledged ??= MAY_BE_REFUSED.has(id) ? judgeProof(exchanges) : judgeAnswers(exchanges, schedule);
    if (!isBroken) continue;
    const shortest = await shrinkSchedule(schedule, async (part) => {
      return mayTry(session) && (await tryOut(trial, part)).isBroken;
    });
    const earlier = [...session.failed].find((other) => isAbout(other, shortest));
    cause ??= earlier;
    if (earlier !== undefined) continue;
    const result = await session.patiently(() => confirm(trial, shortest));
    if (result.outcome === "failed") {
      session.failed.add(id);
      return result;
    }
    unconfirmed ??= result;
    session.isUneven = true;
  }
  if (cause !== undefined) return { outcome: "skipped", reason: `what breaks here is what ${cause} has found` };
  if (unconfirmed !== undefined) return unconfirmed;
  if (unacknowledged !== undefined) return unacknowledged;
  return hasMoved ? { outcome: "passed" } : { outcome: "skipped", reason: NOTHING_MOVED };
}

/** Delivers schedules at one time to an application for which there should be few readings, and notes them if nothing breaks. */
async function tryTogether(trial: StateTrial, schedules: readonly Schedule[]): Promise<void> {
  const many = schedules.filter((schedule) => !isReversed(schedule));
  if (many.length < 2) return;
  const { isBroken, exchanges } = await tryOut(trial, together(many));
  if (isBroken) return;
  let start = 0;
  for (const schedule of many) {
    trial.state.right.set(schedule, exchanges.slice(start, start + schedule.length));
    start += schedule.length;
  }
}

/** Delivers a schedule. It is broken when its effect differs from that of its real history. */
async function tryOut(trial: StateTrial, schedule: Schedule) {
  const expected = await playHistory(trial, schedule);
  const played = isReversed(schedule) ? await playStepwise(trial, schedule) : await play(trial, schedule, expected);
  return { isBroken: !(await isRight(trial, schedule, expected, played)), ...played };
}

type Played = Awaited<ReturnType<typeof play>>;

async function isRight(trial: StateTrial, schedule: Schedule, expected: Change, played: Played): Promise<boolean> {
  if (shippedBy(trial.state, schedule, played.effects) !== undefined) return false;
  if (isSameChange(played.change, expected)) return true;
  const [later, earlier] = schedule;
  if (!isReversed(schedule) || later === undefined || earlier === undefined) return false;
  const earlierAlone = await playHistory(trial, [earlier]);
  const laterAlone = (await play(trial, [later])).change;
  return isRightInReverse(played.change, { expected, earlierAlone, laterAlone });
}

function shippedBy(
  { options, ready }: StateSession,
  schedule: Schedule,
  effects: readonly Change[],
): string | undefined {
  if (ready === undefined || "unfit" in ready) return undefined;
  const shipping = { source: options.check, paid: ready.effects.get("paid") ?? [] };
  // One that ignores all refunds ships what is refunded anyway: that is another failure.
  if ((ready.effects.get("refunded") ?? []).length === 0) return undefined;
  return describeShipped(schedule, effects, shipping);
}

/** Two events of one order, the later one first. */
function isReversed(schedule: Schedule): boolean {
  const [one, other] = schedule;
  return (
    schedule.length === 2 &&
    one !== undefined &&
    other !== undefined &&
    schedule.every(({ forged, copies, order }) => forged === undefined && copies === undefined && order === "first") &&
    realHistoryOf(schedule).length === 2 &&
    historicSteps.indexOf(one.step) > historicSteps.indexOf(other.step)
  );
}

/** Other checks judge the answers to these, or the receiver may choose them. */
const MAY_BE_REFUSED: ReadonlySet<StateCheckId> = new Set(["state-forged", "state-unknown-id"]);

/** The state is right, but perhaps only since the application has not handled the event. */
function judgeProof(exchanges: readonly Exchange[]): Verdict | undefined {
  const unproven = exchanges.find((exchange) => !isProof(exchange));
  return unproven === undefined
    ? undefined
    : { outcome: "skipped", reason: describeUnproven(unproven), exchange: unproven };
}

/** The state is right, but the service sends the event again and again: little harm. */
function judgeAnswers(exchanges: readonly Exchange[], schedule: Schedule): Verdict | undefined {
  const verdict = mustAccept(exchanges);
  if (verdict.outcome !== "failed") return verdict.outcome === "skipped" ? verdict : undefined;
  const isSpelling = schedule[exchanges.findIndex((each) => each === verdict.exchange)]?.subscription === 2;
  return {
    ...verdict,
    ...(isSpelling && verdict.failing === "refused"
      ? { seen: `only one spelling of the topic is handled: ${verdict.seen}`, why: ONE_SPELLING, fix: BOTH_SPELLINGS }
      : { fix: "Answer 2xx to an event that was handled before, or that comes too late." }),
    severity: "warning",
    ...(verdict.failing === "refused" ? {} : { isUnproven: true }),
  };
}

/** Whether a check tries this schedule, or one that contains it, by any subscription. */
function isAbout(id: StateCheckId, schedule: Schedule): boolean {
  const tried = seeds[id].flatMap((seed) => [seed, ...partsOf(seed)]);
  return tried.some((other) => eventsKeyOf(other) === eventsKeyOf(schedule));
}

/** A check never makes more deliveries. */
export const DELIVERIES_MAX = 200;
/** Deliveries for one more try, and for the confirmation of a failure. */
const RESERVE = 40;

function mayTry({ sent }: StateSession): boolean {
  return sent + RESERVE <= DELIVERIES_MAX;
}

const NO_KNOWN_ORDERS =
  "every order of the audit is unknown to the application: only with --order, or beside a sandbox (SANDBOX_URL), are some known and others not";
/** Plays the failure and the history once more: a state that changes by itself is no failure, and what breaks only once is no proof. */
async function confirm(trial: StateTrial, schedule: Schedule): Promise<Verdict> {
  const expected = await playHistory(trial, schedule);
  const history = await play(trial, realHistoryOf(schedule), expected);
  const { isBroken, change, exchanges, again, effects } = await tryOut(trial, schedule);
  const events = describeSchedule(schedule).join(", ");
  if (!isSameChange(history.change, expected))
    return { outcome: "skipped", reason: describeUneven(expected, history.change) };
  if (!isBroken) return { outcome: "skipped", reason: `the deliveries ${events} broke the state once, and not again` };
  const shipped = shippedBy(trial.state, schedule, effects);
  const difference = shipped === undefined ? describeDifference(expected, change) : [shipped];
  return describeFailure(trial, { schedule, exchanges, again }, "wrong", difference);
}
