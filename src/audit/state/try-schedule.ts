import { type Change, describeDifference, isSameChange } from "../application/change.js";
import { describeSchedule, historicSteps, realHistoryOf, type Schedule, together } from "../application/schedule.js";
import type { Verdict } from "../wire/check.js";
import { describeFailure, describeUneven } from "./describe-failure.js";
import { showsPayments } from "./judge-refunds.js";
import { play, playHistory, playStepwise } from "./play.js";
import type { StateSession, StateTrial } from "./state-session.js";
import { describeShipped, isFirstEventOnly, isRightInReverse } from "./tolerance.js";

/** Delivers a schedule. It is broken when its effect differs from that of its real history. */
export async function trySchedule(trial: StateTrial, schedule: Schedule) {
  const expected = await playHistory(trial, schedule);
  const played = isReversed(schedule) ? await playStepwise(trial, schedule) : await play(trial, schedule, expected);
  return { isBroken: !(await hasRightEffect(trial, schedule, expected, played)), ...played };
}

/** Delivers several schedules together, to read the state of a slow application less often. If nothing breaks, all of them are noted as passed. */
export async function tryTogether(trial: StateTrial, schedules: readonly Schedule[]): Promise<void> {
  const many = schedules.filter((schedule) => !isReversed(schedule));
  if (many.length < 2) return;
  const { isBroken, exchanges } = await trySchedule(trial, together(many));
  if (isBroken) return;
  let start = 0;
  for (const schedule of many) {
    trial.state.passedTogether.set(schedule, exchanges.slice(start, start + schedule.length));
    start += schedule.length;
  }
}

/** Plays the failure and its real history once more. Neither a state that changes by itself nor one that breaks only once proves a failure. */
export async function confirmBroken(trial: StateTrial, schedule: Schedule): Promise<Verdict> {
  const expected = await playHistory(trial, schedule);
  const history = await play(trial, realHistoryOf(schedule), expected);
  const { isBroken, change, exchanges, redelivered, effects } = await trySchedule(trial, schedule);
  const events = describeSchedule(schedule).join(", ");
  if (!isSameChange(history.change, expected))
    return { outcome: "skipped", reason: describeUneven(expected, history.change) };
  if (!isBroken) return { outcome: "skipped", reason: `the deliveries ${events} broke the state once, and not again` };
  const shipped = shippedBy(trial.state, schedule, effects);
  const difference = shipped === undefined ? [...describeDifference(expected, change)] : [shipped];
  const [later, earlier] = schedule;
  if (isReversed(schedule) && later && earlier && isSameChange(expected, await playHistory(trial, [earlier])))
    difference.unshift(`"${later.step}" changes nothing after "${earlier.step}"`);
  return describeFailure(trial, { schedule, exchanges, redelivered }, "wrong", difference);
}

type Played = Awaited<ReturnType<typeof play>>;

async function hasRightEffect(
  trial: StateTrial,
  schedule: Schedule,
  expected: Change,
  played: Played,
): Promise<boolean> {
  if (shippedBy(trial.state, schedule, played.effects) !== undefined) return false;
  if (isSameChange(played.change, expected)) return true;
  const [later, earlier] = schedule;
  if (!isReversed(schedule) || later === undefined || earlier === undefined) return false;
  const earlierAlone = await playHistory(trial, [earlier]);
  const laterAlone = (await play(trial, [later])).change;
  const effects = { expected, earlierAlone, laterAlone };
  // Refunds that change nothing are a failure of another check.
  if (later.step !== "refunded" && isFirstEventOnly(played.change, effects)) return false;
  return isRightInReverse(played.change, effects);
}

function shippedBy(
  { options, ready, amountXof }: StateSession,
  schedule: Schedule,
  effects: readonly Change[],
): string | undefined {
  if (ready === undefined || "unfit" in ready) return undefined;
  const paid = ready.effects.get("paid") ?? [];
  // An application that ignores all refunds also ships refunded orders, but that is a failure of another check, unless nothing else shows payments.
  if ((ready.effects.get("refunded") ?? []).length === 0 && showsPayments(paid, amountXof)) return undefined;
  return describeShipped(schedule, effects, { source: options.check, paid });
}

/** Whether a schedule consists of two events of one order, the later one first. */
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
