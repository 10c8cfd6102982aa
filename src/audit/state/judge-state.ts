import { UsageError } from "../../kernel/messages/problem.js";
import type { Exchange, Failure, Verdict } from "../wire/check.js";
import { type Family, familyOf } from "../wire/events.js";
import { mustAccept } from "../wire/judge.js";
import { post } from "../wire/stage.js";
import { type Change, changeOf, describeDifference, isSameChange } from "./change.js";
import { familiesOf, OrderRefused } from "./orders.js";
import { renderScheduleScenario } from "./schedule-scenario.js";
import {
  describeSchedule,
  eventsKeyOf,
  familyHistories,
  keyOf,
  partsOf,
  realHistoryOf,
  type Schedule,
  seeds,
  shrinkSchedule,
  type StateCheckId,
} from "./schedule.js";
import {
  measure,
  play,
  playHistory,
  type Readiness,
  restingState,
  StateLost,
  type StateSession,
  type StateTrial,
  tryOut,
} from "./state-session.js";

const USEFUL = "Let it print only what hangs on the events alone, such as counts, sums and statuses";
const CHANGES_BY_ITSELF = `what --check prints changes while nothing is delivered. ${USEFUL}`;

/** Whether the receiver accepts the events of an ordinary history, and two such histories have the same effect. */
export async function judgeHistory(trial: StateTrial): Promise<Verdict> {
  const ready = await getReady(trial);
  if (!("unfit" in ready)) return { outcome: "passed" };
  return ready.refusal ?? { outcome: "skipped", reason: ready.unfit };
}

/** Plays the history of each family until it has had the same effect twice. Once per session. */
async function getReady(trial: StateTrial): Promise<Readiness> {
  try {
    trial.state.ready ??= await playHistories(trial);
  } catch (error) {
    if (!(error instanceof StateLost)) throw error;
    trial.state.ready = refused({ ...describeFailure(trial, error, "crashed", [error.message]), scenario: undefined });
  }
  return trial.state.ready;
}

async function playHistories(trial: StateTrial): Promise<Readiness> {
  const session = trial.state;
  if ((await restingState(session)) === undefined) return { unfit: CHANGES_BY_ITSELF };
  let hasMoved = false;
  const families = new Set<Family>();
  for (const family of familiesOf(session.options.topic)) {
    const history = familyHistories[family];
    // The first one may create a table or a counter that later ones find.
    const first = await measure(trial, history).catch((error: unknown) => {
      // A shop that only collects payments may have no balance for transfers.
      if (error instanceof OrderRefused && families.size > 0) return undefined;
      throw error;
    });
    if (first === undefined) continue;
    const verdict = mustAccept(first.exchanges);
    if (verdict.outcome === "failed") return refused(verdict);
    const second = await play(trial, history);
    const third = await play(trial, history, second.change);
    if (!isSameChange(second.change, third.change)) return { unfit: describeUnstable(second.change, third.change) };
    session.histories.set(keyOf(history), second.change);
    families.add(family);
    hasMoved ||= first.change.length + second.change.length > 0;
  }
  return { families, hasMoved };
}

function refused(refusal: Failure): Readiness {
  return { unfit: `not tried: ${refusal.seen}`, refusal };
}

function describeUnstable(one: Change, other: Change): string {
  const [difference = "it differs"] = describeDifference(one, other);
  return `what --check prints is not the same after the same story about another order (${difference}). ${USEFUL}`;
}

const SCHEDULE = ["the given event", "the given event again", "the given event again"];

/** Delivers the user's event once, and then twice more: only the first delivery may change the state. */
export async function judgeGivenEvent(trial: StateTrial): Promise<Verdict> {
  const session = trial.state;
  const [first, ...others] = SCHEDULE.map((name) => post(trial, name, trial.event().text));
  if (first === undefined || (await restingState(session)) === undefined) {
    return { outcome: "skipped", reason: CHANGES_BY_ITSELF };
  }
  const verdict = mustAccept([await trial.send(first)]);
  if (verdict.outcome === "failed") return { outcome: "skipped", reason: `not tried: ${verdict.seen}` };
  const before = await restingState(session);
  for (const request of others) await trial.send(request);
  const after = await restingState(session);
  if (before === undefined || after === undefined) return { outcome: "skipped", reason: CHANGES_BY_ITSELF };
  const change = changeOf(before.state, after.state, new Map());
  if (change.length === 0) return { outcome: "passed" };
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
  const session = trial.state;
  const ready = await getReady(trial);
  if ("unfit" in ready) return { outcome: "skipped", reason: ready.unfit };
  const { order, sandbox } = session.options;
  const areKnown = order !== undefined || sandbox !== undefined;
  if (id === "state-unknown-id" && !areKnown) return { outcome: "skipped", reason: NO_KNOWN_ORDERS };
  const schedules: readonly Schedule[] = seeds[id];
  const own = schedules.filter((schedule) => schedule.every(({ step }) => ready.families.has(familyOf(step))));
  try {
    return await judgeEach(trial, id, own, ready.hasMoved);
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
  for (const schedule of schedules) {
    if (!mayTry(session)) return { outcome: "skipped", reason: `not done after ${session.sent} deliveries` };
    const { isBroken, exchanges } = await tryOut(trial, schedule);
    unacknowledged ??= MAY_BE_REFUSED.has(id) ? undefined : judgeAnswers(exchanges);
    if (!isBroken) continue;
    const shortest = await shrinkSchedule(schedule, async (part) => {
      return mayTry(session) && (await tryOut(trial, part)).isBroken;
    });
    const earlier = [...session.failed].find((other) => isAbout(other, shortest));
    cause ??= earlier;
    const failure = earlier === undefined ? await confirm(trial, shortest) : undefined;
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
async function confirm(trial: StateTrial, schedule: Schedule): Promise<Verdict | undefined> {
  const expected = await playHistory(trial, schedule);
  const history = await play(trial, realHistoryOf(schedule), expected);
  const { change, exchanges } = await play(trial, schedule, expected);
  if (!isSameChange(history.change, expected) || isSameChange(change, expected)) return undefined;
  return describeFailure(trial, { schedule, exchanges }, "wrong", describeDifference(expected, change));
}

function describeFailure(
  { state, header }: StateTrial,
  { schedule, exchanges }: Pick<StateLost, "schedule" | "exchanges">,
  failing: "wrong" | "crashed",
  difference: readonly string[],
): Failure {
  const described = describeSchedule(schedule);
  const events = described.map((event) => `"${event}"`).join(", ");
  const what = failing === "wrong" ? "the state is not what the history says" : "the state cannot be read";
  return {
    outcome: "failed",
    failing,
    seen: `after the deliveries ${events} ${what}: ${difference.join("; ")}`,
    exchange: exchanges.at(-1),
    schedule: described,
    scenario: renderScheduleScenario(schedule, { ...state.options, header, difference }),
  };
}
