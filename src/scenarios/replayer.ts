import { setMaxListeners } from "node:events";
import { UsageError } from "../kernel/messages/problem.js";
import { formatDuration } from "../kernel/time/duration.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { Fetch } from "./run/company-world.js";
import { createSandboxTarget } from "./run/sandbox-target.js";

export interface ReplayerOptions {
  readonly sandbox: Sandbox;
  /** Calls the sandbox without a socket. */
  readonly fetch: Fetch;
  /** Only files below this folder may be named. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How many scenarios run at the same time, and how long one may take in real time. */
export const REPLAYS_MAX = 64;
export const REPLAY_MS_MAX = 10 * 60_000;

const TOO_MANY = `Failed to replay: ${REPLAYS_MAX} scenarios are being replayed. Wait until one has ended.`;
const TOO_LONG = `The replay took longer than ${formatDuration(REPLAY_MS_MAX)}. Let it wait less, or use \`npx business-payments-sandbox replay\`.`;
const STOPPING = "The sandbox stops";

/** Replays scenarios that come over the control API. */
export function createReplayer({ sandbox, fetch, folder, env }: ReplayerOptions) {
  const target = createSandboxTarget(sandbox, fetch);
  const running = new Set<Promise<unknown>>();
  const closing = new AbortController();
  let replays = 0;
  return {
    async replay(request: unknown, ended: AbortSignal): Promise<unknown> {
      if (running.size >= REPLAYS_MAX) throw new UsageError("busy", TOO_MANY);
      const tooLong = new AbortController();
      const cancel = sandbox.system.after(REPLAY_MS_MAX, () => tooLong.abort(new UsageError("state", TOO_LONG)));
      const signal = AbortSignal.any([ended, closing.signal, tooLong.signal]);
      // Every request that waits listens to the signal.
      setMaxListeners(0, signal);
      const replay = replayOne(request, signal).finally(() => {
        cancel();
        running.delete(replay);
      });
      running.add(replay);
      return replay;
    },
    async close(): Promise<void> {
      closing.abort(new UsageError("state", STOPPING));
      await Promise.allSettled(running);
      await target.close();
    },
  };

  async function replayOne(request: unknown, signal: AbortSignal): Promise<unknown> {
    const { parseRequest } = await import("./file/parse-request.js");
    const { runScenario } = await import("./run/replay.js");
    const { renderFailure } = await import("./run/failure.js");
    const scenario = await parseRequest(request, folder);
    const { system, options } = sandbox;
    const result = await runScenario(target, scenario, `replay-${++replays}`, {
      system,
      seed: options.seed,
      env,
      signal,
    });
    const { outcome, reason, durationMs, stepsPassed, failure, seen } = result;
    return {
      name: scenario.name,
      file: scenario.file,
      outcome,
      stepsPassed,
      durationMs: Math.round(durationMs),
      ...(reason === undefined ? {} : { reason }),
      ...(failure === undefined ? {} : { failure: { ...failure, text: renderFailure(failure) } }),
      findings: seen.findings,
      rulesNeverFired: seen.rulesNeverFired,
    };
  }
}
