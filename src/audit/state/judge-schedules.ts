import type { Exchange, Verdict } from "../check.js";
import type { Stage } from "../stage.js";
import { type Change, isSameChange } from "./change.js";
import { mustAccept } from "../judge.js";
import { describeDifference } from "./describe-difference.js";
import { familiesOf } from "./orders.js";
import { renderScheduleScenario } from "./schedule-scenario.js";
import {
  describeSchedule,
  eventsKeyOf,
  type Family,
  familyOf,
  keyOf,
  realHistoryOf,
  type Schedule,
} from "./schedule.js";
import { seeds, type StateCheckId } from "./seeds.js";
import { partsOf, shrinkSchedule } from "./shrink.js";
import { measure, play, playHistory, type Readiness, StateLost, type StateSession, tryOut } from "./state-session.js";

/**
 * Plays the schedules in turn until one breaks the application in a way that no check before has found, and tells of the shortest part of it that does.
 */
export async function judgeSchedules(
  session: StateSession,
  stage: Stage,
  id: StateCheckId,
  schedules: readonly Schedule[],
): Promise<Verdict> {
  session.sent = 0;
  session.ready ??= await getReady(session, stage);
  const { ready, orders, options } = session;
  if ("unfit" in ready) return { outcome: "skipped", reason: ready.unfit };
  if (id === "state-unknown-id" && !orders.areKnown) return { outcome: "skipped", reason: NOBODY_KNOWS };
  const families = familiesOf(options.topic);
  const own = schedules.filter((schedule) => schedule.every(({ step }) => families.includes(familyOf(step))));
  try {
    return await judgeEach(session, stage, id, own, ready.moved.size > 0);
  } catch (error) {
    if (!(error instanceof StateLost)) throw error;
    session.ready = { unfit: `not tried: the state could not be read any more since ${id}` };
    return describeFailure(session, stage, error.schedule, "crashed", [error.message], error.exchanges);
  }
}

async function judgeEach(
  session: StateSession,
  stage: Stage,
  id: StateCheckId,
  schedules: readonly Schedule[],
  hasMoved: boolean,
): Promise<Verdict> {
  let cause: string | undefined;
  let unacknowledged: Verdict | undefined;
  for (const schedule of schedules) {
    if (!mayTry(session)) return { outcome: "skipped", reason: `not done after ${session.sent} deliveries` };
    const { isBroken, exchanges } = await tryOut(session, stage, schedule);
    unacknowledged ??= id === "state-unknown-id" ? undefined : judgeAnswers(exchanges);
    if (!isBroken) continue;
    const shortest = await shrinkSchedule(schedule, async (part) => {
      return mayTry(session) && (await tryOut(session, stage, part)).isBroken;
    });
    const earlier = [...session.failed].find((other) => isAbout(other, shortest));
    cause ??= earlier;
    const failure = earlier === undefined ? await confirm(session, stage, shortest) : undefined;
    if (failure === undefined) continue;
    session.failed.add(id);
    return failure;
  }
  if (cause !== undefined) return { outcome: "skipped", reason: `what breaks here is what ${cause} has found` };
  if (unacknowledged !== undefined) return unacknowledged;
  return hasMoved ? { outcome: "passed" } : { outcome: "skipped", reason: NOTHING_MOVED };
}

/** Whether the receiver takes the events of an ordinary history, and its application makes the same of two such histories. */
export async function judgeHistory(session: StateSession, stage: Stage): Promise<Verdict> {
  session.sent = 0;
  session.ready ??= await getReady(session, stage);
  const { ready } = session;
  if (!("unfit" in ready)) return { outcome: "passed" };
  return ready.refusal ?? { outcome: "skipped", reason: ready.unfit };
}

/** The state is right, and yet the service sends the event again and again: of little harm. */
function judgeAnswers(exchanges: readonly Exchange[]): Verdict | undefined {
  const verdict = mustAccept(exchanges);
  if (verdict.outcome !== "failed") return undefined;
  return {
    ...verdict,
    severity: "warning",
    fix: "Answer 2xx to an event that was handled before, or that comes too late.",
  };
}

/** Whether a check tries this schedule, by whichever subscription, or what it is a part of. */
function isAbout(id: StateCheckId, schedule: Schedule): boolean {
  const tried = seeds[id].flatMap((seed) => [seed, ...partsOf(seed)]);
  return tried.some((other) => eventsKeyOf(other) === eventsKeyOf(schedule));
}

/** Deliveries of one check, whatever it finds. */
export const DELIVERIES_MAX = 80;
/** What a try and the telling of what was found may take. */
const RESERVE = 25;

function mayTry({ sent }: StateSession): boolean {
  return sent + RESERVE <= DELIVERIES_MAX;
}

const NOBODY_KNOWS =
  "every order of the audit is unknown to the application: only with --order, or beside a sandbox (SANDBOX_URL), are some known and others not";
const NOTHING_MOVED =
  "no event of the audit changed what --check prints; if the application keeps only orders of its own, let it make them (--order)";

/** Plays the failure once more, and the history too: a state that changes by itself accuses nobody. */
async function confirm(session: StateSession, stage: Stage, schedule: Schedule): Promise<Verdict | undefined> {
  const expected = await playHistory(session, stage, schedule);
  const history = await play(session, stage, realHistoryOf(schedule), expected);
  const { change, exchanges } = await play(session, stage, schedule, expected);
  if (!isSameChange(history.change, expected) || isSameChange(change, expected)) return undefined;
  return describeFailure(session, stage, schedule, "wrong", describeDifference(expected, change), exchanges);
}

function describeFailure(
  { options }: StateSession,
  stage: Stage,
  schedule: Schedule,
  failing: "wrong" | "crashed",
  difference: readonly string[],
  exchanges: readonly Exchange[],
): Verdict {
  const told = describeSchedule(schedule);
  const events = told.map((event) => `"${event}"`).join(", ");
  const what = failing === "wrong" ? "the state is not what the history says" : "the state cannot be read";
  return {
    outcome: "failed",
    failing,
    seen: `after the deliveries ${events} ${what}: ${difference.join("; ")}`,
    exchange: exchanges.at(-1),
    schedule: told,
    scenario: renderScheduleScenario(schedule, { ...options, header: stage.header, difference }),
  };
}

/** Plays each family's history until the application has shown what it does with it, twice the same. */
async function getReady(session: StateSession, stage: Stage): Promise<Readiness> {
  const moved = new Set<Family>();
  for (const family of familiesOf(session.options.topic)) {
    const history = HISTORIES[family];
    // The first one may make what all later ones find there: a table, a counter.
    const first = await measure(session, stage, history);
    const verdict = mustAccept(first.exchanges);
    if (verdict.outcome === "failed") return { unfit: `not tried: ${verdict.seen}`, refusal: verdict };
    const second = await play(session, stage, history);
    const third = await play(session, stage, history, second.change);
    if (!isSameChange(second.change, third.change)) return { unfit: describeUnstable(second.change, third.change) };
    session.histories.set(keyOf(history), second.change);
    if (first.change.kind !== "none" || second.change.kind !== "none") moved.add(family);
  }
  return { moved };
}

const HISTORIES: Readonly<Record<Family, Schedule>> = {
  charge: realHistoryOf([...seeds["state-reversed"][0]]),
  transfer: realHistoryOf([...seeds["state-reversed"][1]]),
};

function describeUnstable(one: Change, other: Change): string {
  const [difference = "it differs"] = describeDifference(one, other);
  return `what --check prints is not the same after the same story about another order (${difference}). Let it print only numbers and states that hang on nothing else, such as counts, sums and statuses`;
}
