import { UsageError } from "../../kernel/messages/problem.js";
import type { Verdict } from "../wire/check.js";
import { describeFailure } from "./describe-failure.js";
import { getReady } from "./histories.js";
import { StateLost } from "./play.js";
import { LATE, type StateTrial } from "./state-session.js";

type Ready = Exclude<Awaited<ReturnType<typeof getReady>>, { unfit: string }>;

/**
 * Runs `judge` once the ordinary histories have been played. An unconfirmed failure is judged again with longer waits. The check is skipped when the
 * application changes its state all the time.
 */
export async function judgeReady(
  trial: StateTrial,
  id: string,
  judge: (ready: Ready) => Promise<Verdict>,
): Promise<Verdict> {
  const session = trial.state;
  const confirmed: ReadonlySet<string> = session.failed;
  const ready = await getReady(trial);
  if ("unfit" in ready) return { outcome: "skipped", reason: ready.unfit };
  try {
    const verdict = await judge(ready);
    const isUnconfirmed = verdict.outcome === "failed" && verdict.failing === "wrong" && !confirmed.has(id);
    if ((session.isUneven || isUnconfirmed) && session.becomePatient()) return await judgeReady(trial, id, judge);
    const isDoubtful =
      verdict.outcome === "failed"
        ? verdict.failing === "wrong"
        : verdict.outcome === "skipped" && verdict.isNotRequested !== true;
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
