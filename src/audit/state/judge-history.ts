import type { Failure, Verdict } from "../check.js";
import { mustAccept } from "../judge.js";
import type { Stage } from "../stage.js";
import { type Change, isSameChange } from "./change.js";
import { describeDifference } from "./describe-difference.js";
import { familiesOf } from "./orders.js";
import { describeSchedule, type Family, keyOf, realHistoryOf, type Schedule } from "./schedule.js";
import { OrderRefused } from "./sandbox-orders.js";
import { seeds } from "./seeds.js";
import {
  beginCheck,
  CHANGES_BY_ITSELF,
  measure,
  play,
  type Readiness,
  restingState,
  StateLost,
  type StateSession,
  USEFUL,
} from "./state-session.js";

/** Whether the receiver takes the events of an ordinary history, and its application makes the same of two such histories. */
export async function judgeHistory(session: StateSession, stage: Stage): Promise<Verdict> {
  beginCheck(session);
  const ready = await getReady(session, stage);
  if (!("unfit" in ready)) return { outcome: "passed" };
  return ready.refusal ?? { outcome: "skipped", reason: ready.unfit };
}

/** Plays each family's history until the application has shown what it does with it, twice the same. Once for a session. */
export async function getReady(session: StateSession, stage: Stage): Promise<Readiness> {
  try {
    session.ready ??= await playHistories(session, stage);
  } catch (error) {
    if (!(error instanceof StateLost)) throw error;
    session.ready = refused(describeLoss(error));
  }
  return session.ready;
}

async function playHistories(session: StateSession, stage: Stage): Promise<Readiness> {
  if ((await restingState(session)) === undefined) return { unfit: CHANGES_BY_ITSELF };
  const moved = new Set<Family>();
  const families = new Set<Family>();
  for (const family of familiesOf(session.options.topic)) {
    const history = HISTORIES[family];
    // The first one may make what all later ones find there: a table, a counter.
    const first = await measure(session, stage, history).catch((error: unknown) => {
      // A shop that only collects may have no money to send.
      if (error instanceof OrderRefused && families.size > 0) return undefined;
      throw error;
    });
    if (first === undefined) continue;
    const verdict = mustAccept(first.exchanges);
    if (verdict.outcome === "failed") return refused(verdict);
    const second = await play(session, stage, history);
    const third = await play(session, stage, history, second.change);
    if (!isSameChange(second.change, third.change)) return { unfit: describeUnstable(second.change, third.change) };
    session.histories.set(keyOf(history), second.change);
    families.add(family);
    if (first.change.kind !== "none" || second.change.kind !== "none") moved.add(family);
  }
  return { families, moved };
}

const HISTORIES: Readonly<Record<Family, Schedule>> = {
  charge: realHistoryOf(seeds["state-reversed"][0]),
  transfer: realHistoryOf(seeds["state-reversed"][1]),
};

function refused(refusal: Failure): Readiness {
  return { unfit: `not tried: ${refusal.seen}`, refusal };
}

function describeLoss({ schedule, exchanges, message }: StateLost): Failure {
  const events = describeSchedule(schedule);
  return {
    outcome: "failed",
    failing: "crashed",
    seen: `after the deliveries ${events.map((event) => `"${event}"`).join(", ")} the state cannot be read: ${message}`,
    exchange: exchanges.at(-1),
    schedule: events,
  };
}

function describeUnstable(one: Change, other: Change): string {
  const [difference = "it differs"] = describeDifference(one, other);
  return `what --check prints is not the same after the same story about another order (${difference}). ${USEFUL}`;
}
