import type { Failure, Stage, Verdict } from "../wire/check.js";
import type { Family } from "../wire/events.js";
import { mustAccept } from "../wire/judge.js";
import { post } from "../wire/stage.js";
import { type Change, changeOf, describeDifference, isSameChange } from "./change.js";
import {
  CHANGES_BY_ITSELF,
  type Readiness,
  StateLost,
  type StateSession,
  USEFUL,
  beginCheck,
  measure,
  play,
  restingState,
} from "./state-session.js";
import { familiesOf } from "./orders.js";
import { describeSchedule, familyHistories, keyOf } from "./schedule.js";
import { OrderRefused } from "./sandbox-orders.js";

/** Whether the receiver accepts the events of an ordinary history, and two such histories have the same effect. */
export async function judgeHistory(session: StateSession, stage: Stage): Promise<Verdict> {
  beginCheck(session);
  const ready = await getReady(session, stage);
  if (!("unfit" in ready)) return { outcome: "passed" };
  return ready.refusal ?? { outcome: "skipped", reason: ready.unfit };
}

/** Plays the history of each family until it has had the same effect twice. Once per session. */
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
  let hasMoved = false;
  const families = new Set<Family>();
  for (const family of familiesOf(session.options.topic)) {
    const history = familyHistories[family];
    // The first one may create a table or a counter that later ones find.
    const first = await measure(session, stage, history).catch((error: unknown) => {
      // A shop that only collects payments may have no balance for transfers.
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
    hasMoved ||= first.change.kind !== "none" || second.change.kind !== "none";
  }
  return { families, hasMoved };
}

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

/** Whether the user has given one event and no way to make orders: that event can be repeated, but it has no history. */
export function hasOnlyGivenEvent({ options }: StateSession): boolean {
  return options.event !== undefined && options.order === undefined && options.sandbox === undefined;
}

export const ONE_EVENT_ONLY =
  "one given event makes no history; with --order or beside a sandbox (SANDBOX_URL) it is tried";

const SCHEDULE = ["the given event", "the given event again", "the given event again"];

/** Delivers the user's event once, and then twice more: only the first delivery may change the state. */
export async function judgeGivenEvent(session: StateSession, stage: Stage): Promise<Verdict> {
  beginCheck(session);
  const [first, ...others] = SCHEDULE.map((name) => post(stage, name, stage.event().text));
  if (first === undefined || (await restingState(session)) === undefined) {
    return { outcome: "skipped", reason: CHANGES_BY_ITSELF };
  }
  const verdict = mustAccept([await stage.send(first)]);
  if (verdict.outcome === "failed") return { outcome: "skipped", reason: `not tried: ${verdict.seen}` };
  const before = await restingState(session);
  for (const request of others) await stage.send(request);
  const after = await restingState(session);
  if (before === undefined || after === undefined) return { outcome: "skipped", reason: CHANGES_BY_ITSELF };
  const unchanged = { kind: "none" } as const;
  const change = changeOf(before.state, after.state, new Map());
  if (isSameChange(change, unchanged)) return { outcome: "passed" };
  const difference = describeDifference(unchanged, change).join("; ");
  return {
    outcome: "failed",
    failing: "wrong",
    seen: `the given event changes the state each time that it comes: ${difference}`,
    schedule: SCHEDULE,
  };
}
