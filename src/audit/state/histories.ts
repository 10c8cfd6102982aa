import { type Change, describeDifference, isSameChange, variedPlaces } from "../application/change.js";
import { familiesOf, OrderRefused } from "../application/orders.js";
import { familyHistories, keyOf, type Schedule } from "../application/schedule.js";
import { singularOf } from "../../domain/values/topic.js";
import type { Exchange, Failure, Verdict } from "../wire/check.js";
import { type Family, type Step, topicOf } from "../wire/events.js";
import { judgeProof, mustAccept, TOO_MANY } from "../wire/judge.js";
import { BOTH_SPELLINGS, describeFailure, ONE_SPELLING } from "./describe-failure.js";
import { measure, play, playStepwise, StateLost } from "./play.js";
import { LATE, type Readiness, type StateTrial } from "./state-session.js";

const USEFUL = "Let it print only what depends on the events alone, such as counts, sums and statuses";
export const CHANGES_BY_ITSELF = `what --check prints changes while nothing is delivered. ${USEFUL}, or give a slow application more time (--settle)`;

/** Whether the receiver accepts the events of an ordinary history, and two such histories have the same effect. */
export async function judgeHistory(trial: StateTrial): Promise<Verdict> {
  const ready = await getReady(trial);
  if ("unfit" in ready) return ready.refusal ?? { outcome: "skipped", reason: ready.unfit };
  if (ready.foreign !== undefined) return { outcome: "skipped", reason: ready.foreign };
  const [family] = trial.state.respelled;
  if (family === undefined) return { outcome: "passed" };
  const topic = topicOf(family === "charge" ? "paid" : "completed");
  return {
    outcome: "failed",
    failing: "wrong",
    severity: "warning",
    seen: `only one spelling of the topic is handled: ${singularOf(topic)} changes the state, and ${topic} does not`,
    why: ONE_SPELLING,
    fix: BOTH_SPELLINGS,
  };
}

/** Plays the ordinary history of each family until it has had the same effect twice. The session keeps the result. */
export async function getReady(trial: StateTrial): Promise<Readiness> {
  try {
    trial.state.ready ??= await playPatiently(trial);
  } catch (error) {
    if (!(error instanceof StateLost)) throw error;
    trial.state.ready = refused({ ...describeFailure(trial, error, "crashed", [error.message]), scenario: undefined });
  }
  return trial.state.ready;
}

/** Plays the histories once more, with longer waits, when their effect is not the same each time: the application may need longer at times. */
async function playPatiently(trial: StateTrial): Promise<Readiness> {
  const ready = await playHistories(trial);
  const isUnstable = "unfit" in ready && ready.refusal === undefined && ready.foreign === undefined;
  return isUnstable && trial.state.becomePatient() ? playHistories(trial) : ready;
}

async function playHistories(trial: StateTrial): Promise<Readiness> {
  const session = trial.state;
  if (!(await session.app.findVarying())) return { unfit: CHANGES_BY_ITSELF };
  const families = new Set<Family>();
  const effects = new Map<Step, Change>();
  let hasMoved = false;
  let foreign: string | undefined;
  for (const family of familiesOf(session.options.topic)) {
    const played = await playFamily(trial, family).catch((error: unknown) => {
      // A shop that only collects payments may have no balance for transfers.
      if (!(error instanceof OrderRefused) || families.size === 0) throw error;
      session.notes.push(`Events of payouts were not sent, because no payout could be made. ${error.message}`);
      return undefined;
    });
    if (played === undefined) continue;
    if ("unfit" in played && played.foreign !== undefined && families.size > 0) {
      foreign = played.foreign;
      continue;
    }
    if ("unfit" in played)
      return played.refusal === undefined && (await session.app.isBusy()) ? { unfit: LATE } : played;
    families.add(family);
    for (const [step, effect] of played.effects) effects.set(step, effect);
    hasMoved ||= played.hasMoved;
  }
  if (!hasMoved && (await session.app.isBusy())) return { unfit: LATE };
  const idle = [...effects].filter(([, change]) => change.length === 0).map(([step]) => step);
  if (idle.length > 0) session.notes.push(`Events that changed nothing in what --check prints: ${idle.join(", ")}.`);
  if (session.app.ignored.size > 0) {
    session.notes.push(
      `Ignored in what --check prints, since it varies by itself: ${[...session.app.ignored].join(", ")}.`,
    );
  }
  return { families, effects, hasMoved, foreign };
}

type FamilyPlayed =
  | { readonly effects: ReadonlyMap<Step, Change>; readonly hasMoved: boolean }
  | Extract<Readiness, { unfit: string }>;

async function playFamily(trial: StateTrial, family: Family): Promise<FamilyPlayed> {
  const session = trial.state;
  const history = familyHistories[family];
  // The first history may create a table or a counter that later ones find.
  const first = await measure(trial, history);
  const refusal = refusalOf(first.exchanges);
  if (refusal !== undefined) return { ...refusal, foreign: describeForeign(trial, family, first.exchanges) };
  let second = await playStepwise(trial, history);
  const hasMovedAt = (effects: readonly Change[]): boolean => effects.some(({ length }) => length > 0);
  let hasMoved = first.change.length > 0 || hasMovedAt(second.effects);
  if (!hasMoved && session.options.order === undefined && (await isOtherSpellingHandled(trial, family, history))) {
    second = await playStepwise(trial, history);
    hasMoved = hasMovedAt(second.effects);
  }
  const isKnown = session.app.isSlow && isSameChange(first.changeNow(), second.change);
  const third = isKnown ? first : await play(trial, history, second.change);
  const late = refusalOf([...second.exchanges, ...third.exchanges]);
  if (late !== undefined) return late;
  if (!isSameChange(second.change, third.change)) {
    const varied = variedPlaces(second.change, third.change);
    if (varied === undefined) return { unfit: describeUnstable(second.change, third.change) };
    for (const place of varied) session.app.ignored.add(place);
    const again = await playStepwise(trial, history);
    // Nothing is left that could show a mistake.
    if (!hasMovedAt([again.change, ...again.effects])) return { unfit: describeUnstable(second.change, third.change) };
    second = again;
  }
  session.histories.set(keyOf(history), second.changeNow());
  const effects = history.map(({ step }, index) => [step, second.effects[index] ?? []] as const);
  return { effects: new Map(effects), hasMoved };
}

/** Plays the history under the topic's other spelling, which is used from then on when it changes the state. */
async function isOtherSpellingHandled(trial: StateTrial, family: Family, history: Schedule): Promise<boolean> {
  const { respelled } = trial.state;
  respelled.add(family);
  const { change, exchanges } = await play(trial, history);
  if (change.length > 0 && refusalOf(exchanges) === undefined) return true;
  respelled.delete(family);
  return false;
}

/** Why a history is unfit: its events are not accepted, or the answers prove nothing. Undefined when all are accepted. */
function refusalOf(exchanges: readonly Exchange[]): Extract<Readiness, { unfit: string }> | undefined {
  const verdict = mustAccept(exchanges);
  if (verdict.outcome === "failed") return refused(verdict);
  const unproven = judgeProof(exchanges);
  return unproven === undefined ? undefined : { unfit: unproven.reason };
}

/** When every event of a family is refused with one status, the receiver may not be subscribed to that family. Undefined otherwise. */
function describeForeign({ state }: StateTrial, family: Family, exchanges: readonly Exchange[]): string | undefined {
  const statuses = new Set(exchanges.map(({ answer }) => answer?.status ?? 0));
  const [status = 0] = statuses;
  const isForeign = statuses.size === 1 && status >= 400 && status < 500 && ![401, 403, TOO_MANY].includes(status);
  if (state.options.topic !== undefined || !isForeign) return undefined;
  const [topics, other] =
    family === "charge" ? ["charges/events", "transactions/completed"] : ["transactions/*", "charges/events"];
  return `every event of ${topics} is answered with ${status}; if the receiver does not subscribe to these, name the topic that it gets (--topic ${other})`;
}

function refused(refusal: Failure): Extract<Readiness, { unfit: string }> {
  return { unfit: `not tried: ${refusal.seen}`, refusal };
}

function describeUnstable(one: Change, other: Change): string {
  const [difference = "it differs"] = describeDifference(one, other);
  return `what --check prints is not the same after the same events about another order (${difference}). ${USEFUL}`;
}
