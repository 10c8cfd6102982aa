import { parseSource } from "../../adapters/files/source.js";
import { UsageError } from "../../kernel/messages/problem.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { parseScenario } from "../file/parse-scenario.js";
import { renderFailure } from "../run/failure.js";
import { runScenario } from "../run/replay.js";
import type { Target } from "../run/world.js";

interface CheckOptions {
  readonly target: Target;
  readonly system: SystemClock;
  /** Where the recording will be: the paths of fixtures are relative to it. */
  readonly file: string;
}

/** Replays a recording. Returns why it fails; undefined when it passes. */
export async function checkRecording(text: string, options: CheckOptions): Promise<string | undefined> {
  const { target, system, file } = options;
  try {
    const scenario = await parseScenario(parseSource(text, file));
    const { failure } = await runScenario(target, scenario, "recording", { system, seed: undefined, env: {} });
    return failure && renderFailure(failure);
  } catch (error) {
    if (error instanceof UsageError) return error.messages.join("; ");
    throw error;
  }
}
