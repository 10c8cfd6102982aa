import { createIdSource } from "../kernel/ids.js";
import { hashToSeed } from "../kernel/random.js";
import type { SystemClock } from "../kernel/system-clock.js";
import type { Failure } from "./failure.js";
import { loadFakeData } from "./fake-data.js";
import { reasonOf } from "./reason.js";
import type { Received } from "./receiver.js";
import { runSteps } from "./run-step.js";
import type { Scenario } from "./scenario.js";
import type { StepContext } from "./step-context.js";
import { Variables } from "./variables.js";
import { nothingSeen, type Seen, type Target } from "./world.js";

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
