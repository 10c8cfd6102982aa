import { type Outcome, type RunOptions, runScenario, type ScenarioResult } from "./run-scenario.js";
import type { Scenario } from "./scenario.js";
import type { Target } from "./world.js";

export interface ReplayOptions extends RunOptions {
  /** How many stories run at a time; each has a company of its own. */
  readonly workers: number;
  /** Start nothing more after the first that fails. */
  readonly bail: boolean;
  /** Told of each result in the order of the files, whichever ended first. */
  readonly onResult?: (result: ScenarioResult) => void;
}

export interface ReplaySummary {
  /** In the order of the files. */
  readonly results: readonly ScenarioResult[];
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly durationMs: number;
  readonly seed: number | undefined;
  /** Not run, because an earlier one failed under `bail`. */
  readonly notRun: number;
}

/** Replays stories, several at a time. The result does not depend on how many. */
export async function replay(
  target: Target,
  scenarios: readonly Scenario[],
  options: ReplayOptions,
): Promise<ReplaySummary> {
  const start = options.system.monotonic();
  const results = new Map<number, ScenarioResult>();
  const names = uniqueNames(scenarios);
  let next = 0;
  let told = 0;
  let stopped = false;
  const tell = (): void => {
    for (let result = results.get(told); result !== undefined; result = results.get(++told)) options.onResult?.(result);
  };
  const worker = async (): Promise<void> => {
    while (!stopped) {
      const index = next++;
      const scenario = scenarios[index];
      if (scenario === undefined) return;
      const result = await runScenario(target, scenario, names[index] ?? String(index), options);
      results.set(index, result);
      if (options.bail && result.failure !== undefined) stopped = true;
      tell();
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.workers, scenarios.length) }, worker));
  const ordered = [...results.entries()].sort(([a], [b]) => a - b).map(([, result]) => result);
  const counts = { passed: 0, failed: 0, error: 0, skipped: 0 };
  for (const { outcome } of ordered) counts[outcome]++;
  const durationMs = options.system.monotonic() - start;
  return { results: ordered, counts, durationMs, seed: options.seed, notRun: scenarios.length - ordered.length };
}

/** A name for each that is the same in every run; of stories with the same file name and name the later ones are numbered. */
function uniqueNames(scenarios: readonly Scenario[]): string[] {
  const taken = new Set<string>();
  return scenarios.map(({ file, name }) => {
    const stem = `${file.split(/[\\/]/).at(-1) ?? "scenario"}-${name}`
      .replaceAll(/[^A-Za-z0-9]+/g, "-")
      .toLowerCase()
      .slice(0, NAME_MAX);
    let unique = stem;
    for (let count = 2; taken.has(unique); count++) unique = `${stem}-${count}`;
    taken.add(unique);
    return unique;
  });
}

const NAME_MAX = 80;
