import type { Exchange, Verdict } from "../wire/check.js";
import { familyOf } from "../wire/events.js";
import { judgeProof, mustAccept } from "../wire/judge.js";
import { post } from "../wire/stage.js";
import { describeDifference } from "../application/change.js";
import {
  eventsKeyOf,
  isRefundedTwice,
  partsOf,
  type Schedule,
  seeds,
  stateCheckIds,
  shrinkSchedule,
  type StateCheckId,
} from "../application/schedule.js";
import { BOTH_SPELLINGS, NOTHING_MOVED, ONE_SPELLING } from "./describe-failure.js";
import { CHANGES_BY_ITSELF } from "./histories.js";
import { judgeReady } from "./judge-ready.js";
import type { StateSession, StateTrial } from "./state-session.js";
import { confirmBroken, trySchedule, tryTogether } from "./try-schedule.js";

/** The most deliveries that one check makes. */
export const DELIVERIES_MAX = 200;
/** Deliveries that are kept in reserve for one more try and for the confirmation of a failure. */
const RESERVE = 40;

const NO_KNOWN_ORDERS =
  "every order of the audit is unknown to the application: only with --order, or beside a sandbox (SANDBOX_URL), are some known and others not";

/** Checks that judge only the state: other checks judge the answers to these events, or the receiver may answer as it likes. */
const MAY_BE_REFUSED: ReadonlySet<StateCheckId> = new Set(["state-forged", "state-unknown-id"]);

const GIVEN_MOVED_NOTHING =
  "the given event changed nothing in what --check prints; give one of an order that the application knows, and that it has not handled before";

const SCHEDULE = ["the given event", "the given event again", "the given event again"];

/** Delivers the user's event once, and then twice more: only the first delivery may change the state. */
export async function judgeGivenEvent(trial: StateTrial): Promise<Verdict> {
  const session = trial.state;
  const [first, ...others] = SCHEDULE.map((name) => post(trial, name, trial.event().text));
  if (first === undefined || !(await session.app.findVarying()))
    return { outcome: "skipped", reason: CHANGES_BY_ITSELF };
  const verdict = mustAccept([await trial.send(first)]);
  if (verdict.outcome === "failed") return { outcome: "skipped", reason: `not tried: ${verdict.seen}` };
  const before = await session.app.readAtRest();
  const answers: Exchange[] = [];
  for (const request of others) answers.push(await trial.send(request));
  const after = await session.app.readAtRest();
  if (before === undefined || after === undefined) return { outcome: "skipped", reason: CHANGES_BY_ITSELF };
  const change = session.app.changeOf(before.state, after.state);
  if (change.length === 0 && session.app.changeOf(session.atStart, after.state).length === 0)
    return { outcome: "skipped", reason: GIVEN_MOVED_NOTHING };
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
    if (!canJudge(id)) return { outcome: "skipped", reason: NO_KNOWN_ORDERS, isNotRequested: true };
    const schedulesOf = (check: StateCheckId): readonly Schedule[] =>
      seeds[check].filter(
        (schedule: Schedule) =>
          schedule.every(({ step }) => families.has(familyOf(step))) &&
          !(session.profile?.refunds.further === "refused" && isRefundedTwice(schedule)),
      );
    if (session.app.isSlow && !session.hasTriedAll) {
      session.hasTriedAll = true;
      await tryTogether(
        trial,
        stateCheckIds.filter((other) => checks.has(other) && canJudge(other)).flatMap(schedulesOf),
      );
      session.beginCheck();
    }
    return judgeEach(trial, id, schedulesOf(id), hasMoved);
  });
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
  if (session.app.isSlow && !schedules.every((schedule) => session.passedTogether.has(schedule)))
    await tryTogether(trial, schedules);
  for (const schedule of schedules) {
    if (!mayTry(session)) return { outcome: "skipped", reason: `not done after ${session.sent} deliveries` };
    const known = session.passedTogether.get(schedule);
    const { isBroken, exchanges } =
      known === undefined ? await trySchedule(trial, schedule) : { isBroken: false, exchanges: known };
    unacknowledged ??= MAY_BE_REFUSED.has(id) ? judgeProof(exchanges) : judgeAnswers(exchanges, schedule);
    if (!isBroken) continue;
    const shortest = await shrinkSchedule(schedule, async (part) => {
      return mayTry(session) && (await trySchedule(trial, part)).isBroken;
    });
    const earlier = [...session.failed].find((other) => isAbout(other, shortest));
    cause ??= earlier;
    if (earlier !== undefined) continue;
    const result = await session.patiently(() => confirmBroken(trial, shortest));
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

/** Warns when the state is right but an event is not acknowledged: the service sends it again and again, which does little harm. */
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

/** Whether a check tries this schedule, or one that contains it, whichever subscriptions deliver the events. */
function isAbout(id: StateCheckId, schedule: Schedule): boolean {
  const tried = seeds[id].flatMap((seed) => [seed, ...partsOf(seed)]);
  return tried.some((other) => eventsKeyOf(other) === eventsKeyOf(schedule));
}

function mayTry({ sent }: StateSession): boolean {
  return sent + RESERVE <= DELIVERIES_MAX;
}
