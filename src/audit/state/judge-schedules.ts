import { UsageError } from "../../kernel/messages/problem.js";
import type { Exchange, Stage, Verdict } from "../wire/check.js";
import { familyOf } from "../wire/events.js";
import { mustAccept } from "../wire/judge.js";
import { describeDifference, isSameChange } from "./change.js";
import { getReady } from "./judge-history.js";
import { renderScheduleScenario } from "./schedule-scenario.js";
import {
  type Schedule,
  type StateCheckId,
  describeSchedule,
  eventsKeyOf,
  partsOf,
  realHistoryOf,
  seeds,
  shrinkSchedule,
} from "./schedule.js";
import { StateLost, type StateSession, beginCheck, play, playHistory, tryOut } from "./state-session.js";

/** Plays the schedules until one breaks the application in a way that no earlier check has found, and reports the shortest part of it that does. */
export async function judgeSchedules(
  session: StateSession,
  stage: Stage,
  id: StateCheckId,
  schedules: readonly Schedule[],
): Promise<Verdict> {
  beginCheck(session);
  const ready = await getReady(session, stage);
  if ("unfit" in ready) return { outcome: "skipped", reason: ready.unfit };
  if (id === "state-unknown-id" && !session.orders.areKnown) return { outcome: "skipped", reason: NO_KNOWN_ORDERS };
  const own = schedules.filter((schedule) => schedule.every(({ step }) => ready.families.has(familyOf(step))));
  try {
    return await judgeEach(session, stage, id, own, ready.hasMoved);
  } catch (error) {
    if (!(error instanceof StateLost) && !(error instanceof UsageError)) throw error;
    session.ready = { unfit: `not tried: the state could not be read any more since ${id}` };
    if (error instanceof UsageError) return { outcome: "skipped", reason: error.message };
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
    unacknowledged ??= MAY_BE_REFUSED.has(id) ? undefined : judgeAnswers(exchanges);
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

/** Other checks judge the answers to these, or the receiver may choose them. */
const MAY_BE_REFUSED: ReadonlySet<StateCheckId> = new Set(["state-forged", "state-unknown-id"]);

/** The state is right, but the service sends the event again and again: little harm. */
function judgeAnswers(exchanges: readonly Exchange[]): Verdict | undefined {
  const verdict = mustAccept(exchanges);
  if (verdict.outcome !== "failed") return undefined;
  return {
    ...verdict,
    severity: "warning",
    fix: "Answer 2xx to an event that was handled before, or that comes too late.",
  };
}

/** Whether a check tries this schedule, or one that contains it, by any subscription. */
function isAbout(id: StateCheckId, schedule: Schedule): boolean {
  const tried = seeds[id].flatMap((seed) => [seed, ...partsOf(seed)]);
  return tried.some((other) => eventsKeyOf(other) === eventsKeyOf(schedule));
}

/** A check never makes more deliveries. */
export const DELIVERIES_MAX = 80;
/** Deliveries for one more try, and for the confirmation of a failure. */
const RESERVE = 25;

function mayTry({ sent }: StateSession): boolean {
  return sent + RESERVE <= DELIVERIES_MAX;
}

const NO_KNOWN_ORDERS =
  "every order of the audit is unknown to the application: only with --order, or beside a sandbox (SANDBOX_URL), are some known and others not";
const NOTHING_MOVED =
  "no event of the audit changed what --check prints; if the application keeps only orders of its own, let it make them (--order)";

/** Plays the failure and the history once more: a state that changes by itself is no failure. */
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
  const described = describeSchedule(schedule);
  const events = described.map((event) => `"${event}"`).join(", ");
  const what = failing === "wrong" ? "the state is not what the history says" : "the state cannot be read";
  return {
    outcome: "failed",
    failing,
    seen: `after the deliveries ${events} ${what}: ${difference.join("; ")}`,
    exchange: exchanges.at(-1),
    schedule: described,
    scenario: renderScheduleScenario(schedule, { ...options, header: stage.header, difference }),
  };
}
