import { createIdSource, hashToSeed } from "../../kernel/ids.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import { type Failure, reasonOf } from "./failure.js";
import { loadFakeData } from "../file/fake-data.js";
import type { Received } from "./receiver.js";
import { runSteps } from "./run-step.js";
import type { Scenario } from "../file/scenario.js";
import type { StepContext } from "./run-request.js";
import { Variables } from "./variables.js";
import { type Seen, type Target, nothingSeen } from "./world.js";

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

export interface RunOptions {
  readonly system: SystemClock;
  /** Makes `${uuid}`, `${faker.…}` and identifiers repeat. */
  readonly seed: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Outcome = "passed" | "failed" | "error" | "skipped";

export interface ScenarioResult {
  readonly scenario: Scenario;
  readonly outcome: Outcome;
  /** Why it was skipped. */
  readonly reason: string | undefined;
  readonly failure: Failure | undefined;
  /** Real time, ms. */
  readonly durationMs: number;
  /** Steps that went well, those of repeats and used files counted each time. */
  readonly stepsPassed: number;
  /** What the sandbox saw of it. */
  readonly seen: Seen;
}

/** Replays one story in a world of its own. Never rejects: what went wrong is in the result. */
export async function runScenario(
  target: Target,
  scenario: Scenario,
  name: string,
  options: RunOptions,
): Promise<ScenarioResult> {
  const reason = target.unfit(scenario);
  if (reason !== undefined) {
    return {
      scenario,
      outcome: "skipped",
      reason,
      failure: undefined,
      durationMs: 0,
      stepsPassed: 0,
      seen: nothingSeen,
    };
  }
  const start = options.system.monotonic();
  let stepsPassed = 0;
  let failure: Failure | undefined;
  let seen = nothingSeen;
  try {
    const world = await target.open(scenario, name);
    try {
      const fakes = scenario.usesFaker ? await loadFakeData() : undefined;
      const drawFake = fakes?.drawer(hashToSeed(options.seed ?? 0, name), world.now());
      const ids = createIdSource(options.seed, `scenario ${name}`);
      const context: StepContext = {
        world,
        variables: new Variables({ world, ids, env: options.env, drawFake }),
        system: options.system,
        waitFor: undefined,
        onStep: (_, failed) => (stepsPassed += failed === undefined ? 1 : 0),
      };
      failure = (await runSteps(context, scenario.steps)) ?? forged(scenario, world.received());
      seen = world.seen();
    } finally {
      await world.close();
    }
  } catch (error) {
    failure = { kind: "error", step: "given", position: scenario.givenPosition, message: reasonOf(error) };
  }
  const outcome: Outcome = failure === undefined ? "passed" : failure.kind === "failure" ? "failed" : "error";
  const durationMs = options.system.monotonic() - start;
  return { scenario, outcome, reason: undefined, failure, durationMs, stepsPassed, seen };
}

/** The runner's own receiver checks every signature; only a story that plays with rules may see a wrong one. */
function forged({ usesRules, givenPosition }: Scenario, received: readonly Received[]): Failure | undefined {
  const wrong = received.filter((webhook) => !webhook.genuine);
  if (wrong.length === 0 || usesRules) return undefined;
  return {
    kind: "failure",
    step: "signatures",
    position: givenPosition,
    message: `${wrong.length} webhook(s) came with a signature that is not the body's`,
    received,
  };
}
