import type { SystemClock } from "../kernel/system-clock.js";
import type { Failure } from "./failure.js";
import type { Step } from "./scenario.js";
import type { Variables } from "./variables.js";
import type { ScenarioWorld } from "./world.js";

/** What a running step is given. */
export interface StepContext {
  readonly world: ScenarioWorld;
  readonly variables: Variables;
  readonly system: SystemClock;
  /** Under `start --scenario`: resolves when what the step waits for has come. */
  readonly waitFor: ((when: NonNullable<Step["when"]>) => Promise<void>) | undefined;
  /** Told after each step, in order; `failure` undefined when it went well. */
  readonly onStep: (step: Step, failure: Failure | undefined) => void;
}
