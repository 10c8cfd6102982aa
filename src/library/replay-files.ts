import { systemClock } from "../kernel/system-clock.js";
import type { Sandbox as Core } from "../sandbox/sandbox.js";
import { loadScenario } from "../scenarios/parse-scenario.js";
import { renderFailure } from "../scenarios/render-failure.js";
import { replay } from "../scenarios/replay.js";
import { createSandboxTarget, type Fetch } from "../scenarios/sandbox-target.js";

export interface ReplayReport {
  readonly passed: number;
  readonly skipped: number;
  readonly scenarios: readonly { readonly name: string; readonly file: string; readonly outcome: string }[];
}

/** A scenario that did not come out as told. Its message holds the step, the place in the file, and what differed. */
export class ScenarioFailed extends Error {
  override readonly name = "ScenarioFailed";
}

/** Replays scenario files, each in a company of its own. Rejects with {@link ScenarioFailed} when one fails, with UsageError for a wrong file. */
export async function replayFiles(core: Core, fetch: Fetch, files: readonly string[]): Promise<ReplayReport> {
  const scenarios = await Promise.all(files.map((file) => loadScenario(file)));
  const target = createSandboxTarget(core, fetch);
  try {
    const options = { workers: WORKERS, bail: false, system: systemClock, seed: core.options.seed, env: {} };
    const { results, counts } = await replay(target, scenarios, options);
    const failures = results.flatMap(({ scenario, failure }) =>
      failure === undefined ? [] : [`${scenario.name}\n${renderFailure(failure)}`],
    );
    if (failures.length > 0) throw new ScenarioFailed(failures.join("\n\n"));
    const told = results.map(({ scenario, outcome }) => ({ name: scenario.name, file: scenario.file, outcome }));
    return { passed: counts.passed, skipped: counts.skipped, scenarios: told };
  } finally {
    await target.close();
  }
}

const WORKERS = 8;
