import { describeDifference } from "../application/change.js";
import { describeSchedule, type Schedule } from "../application/schedule.js";
import { runRestart, type StateSource } from "../application/state-reader.js";
import { UsageError } from "../../kernel/messages/problem.js";
import type { Verdict } from "../wire/check.js";
import { judgeProof } from "../wire/judge.js";
import { isUnreachable, parseReceiverUrl } from "../wire/send-on-wire.js";
import { NOTHING_MOVED } from "./describe-failure.js";
import { judgeReady } from "./judge-ready.js";
import { playStepwise } from "./play.js";
import type { StateTrial } from "./state-session.js";

const TWICE: Schedule = [
  { order: "first", step: "paid", subscription: 1 },
  { order: "first", step: "paid", subscription: 1 },
];

/** Sends an event, restarts the application, and sends the event again: the application must remember across restarts what it has handled. */
export async function judgeRestart(trial: StateTrial): Promise<Verdict> {
  const { restart } = trial.state.options;
  if (restart === undefined) {
    return {
      outcome: "skipped",
      reason: "nothing says how the application is restarted (--restart COMMAND)",
      isNotRequested: true,
    };
  }
  return judgeReady(trial, "state-restart", async (ready) => {
    const step = (["paid", "completed"] as const).find((each) => (ready.effects.get(each) ?? []).length > 0);
    if (step === undefined) return { outcome: "skipped", reason: NOTHING_MOVED };
    const twice = TWICE.map((delivery) => ({ ...delivery, step }));
    const { effects, exchanges } = await playStepwise(trial, twice, () => restartAndWait(trial, restart));
    const [, lost = [], again = []] = effects;
    if (lost.length > 0) {
      return {
        outcome: "skipped",
        reason: `the state does not survive a restart (${describeDifference([], lost).join("; ")})`,
      };
    }
    if (again.length === 0) return judgeProof(exchanges) ?? { outcome: "passed" };
    const [first = "", second = ""] = describeSchedule(twice);
    return {
      outcome: "failed",
      failing: "wrong",
      seen: `after a restart the event "${second}" changes the state: ${describeDifference([], again).join("; ")}`,
      exchange: exchanges.at(-1),
      schedule: [first, "a restart of the application", second],
    };
  });
}

/** Commands such as `touch app.py` and `kill -HUP` only ask for a restart, which begins a moment later. */
const BEGIN_MS = 3_000;
const POLL_MS = 100;
const START_MS = 60_000;

/** Restarts the application, and waits until the receiver listens and its state can be read. */
async function restartAndWait({ state }: StateTrial, restart: StateSource): Promise<void> {
  const { system, receiver, timeoutMs } = state.options;
  const url = parseReceiverUrl(receiver);
  // What differs after the restart was lost by it, and is no late effect of the event.
  state.app.latest = undefined;
  const isDown = (): Promise<boolean> => isUnreachable({ url, system });
  try {
    await runRestart(restart, { system, timeoutMs: Math.max(timeoutMs, START_MS) });
  } finally {
    await system.sleep(BEGIN_MS);
    state.isDownAfterRestart = await isDown();
  }
  // A reading may take seconds itself.
  const until = system.monotonic() + START_MS;
  while (system.monotonic() < until) {
    state.isDownAfterRestart = await isDown();
    if (!state.isDownAfterRestart && (await isReadable(state))) return;
    await system.sleep(POLL_MS);
  }
  throw new UsageError("cannot-run", `The receiver did not come back within ${START_MS / 1000} s after --restart.`);
}

async function isReadable(state: StateTrial["state"]): Promise<boolean> {
  try {
    await state.app.read();
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}
