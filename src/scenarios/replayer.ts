import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "../sandbox/sandbox.js";
import { SCENARIO_FILE } from "./file/scenario.js";
import { createSandboxTarget, type Fetch } from "./run/sandbox-target.js";

export interface ReplayerOptions {
  readonly sandbox: Sandbox;
  /** Calls the sandbox without a socket. */
  readonly fetch: Fetch;
  /** Only files below it may be named. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Replays scenarios that come over the control API. */
export function createReplayer({ sandbox, fetch, folder, env }: ReplayerOptions) {
  const target = createSandboxTarget(sandbox, fetch);
  let replays = 0;
  return {
    async replay(request: unknown): Promise<unknown> {
      const { parseRequest } = await import("./file/parse-request.js");
      const { runScenario } = await import("./run/replay.js");
      const { renderFailure } = await import("./run/failure.js");
      const scenario = await parseRequest(request, folder);
      const { system, options } = sandbox;
      const result = await runScenario(target, scenario, `replay-${++replays}`, { system, seed: options.seed, env });
      const { outcome, durationMs, stepsPassed, failure, seen } = result;
      return {
        name: scenario.name,
        file: scenario.file,
        outcome,
        stepsPassed,
        durationMs: Math.round(durationMs),
        ...(failure === undefined ? {} : { failure: { ...failure, text: renderFailure(failure) } }),
        findings: seen.findings,
        rulesNeverFired: seen.rulesNeverFired,
      };
    },
    list: () => listScenarioFiles(folder),
    close: () => target.close(),
  };
}

/** Where scenarios are by default: `sandbox init` writes the first one there. */
export const SCENARIO_FOLDER = "scenarios";
const LISTED_MAX = 500;

/** The scenario files below `scenarios/` of a folder, sorted, as `{file}` of a replay takes them; none without such a folder. */
async function listScenarioFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, SCENARIO_FOLDER), { recursive: true }).catch(() => []);
  const files = names.filter((name) => SCENARIO_FILE.test(name)).map((name) => name.replaceAll("\\", "/"));
  return files
    .sort()
    .slice(0, LISTED_MAX)
    .map((name) => `${SCENARIO_FOLDER}/${name}`);
}
