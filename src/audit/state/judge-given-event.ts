import type { Verdict } from "../check.js";
import { mustAccept } from "../judge.js";
import { post, type Stage } from "../stage.js";
import { changeOf, isSameChange } from "./change.js";
import { describeDifference } from "./describe-difference.js";
import { beginCheck, CHANGES_BY_ITSELF, restingState, type StateSession } from "./state-session.js";

/** Whether the user has given one event, and no orders: of these two, one can be delivered any number of times, and no history can be made. */
export function hasOnlyGivenEvent({ options }: StateSession): boolean {
  return options.event !== undefined && options.order === undefined && options.sandbox === undefined;
}

export const ONE_EVENT_ONLY =
  "one given event makes no history; with --order or beside a sandbox (SANDBOX_URL) it is tried";

const SCHEDULE = ["the given event", "the given event again", "the given event again"];

/** Delivers the user's own event once, and then twice more: what it has changed at first is all that it may change. */
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
