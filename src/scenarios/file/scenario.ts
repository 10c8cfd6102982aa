import type { RuleOrder } from "../../domain/rules/change-rules.js";
import type { SourcePosition } from "../../kernel/messages/problem.js";
import type { CompanySetup } from "../../sandbox/state/fixture.js";
import type { ParsedStep, StepKeyword } from "./step-schemas.js";

/** The names of scenario files. */
export const SCENARIO_FILE = /\.(?:ya?ml|json)$/i;

/** A scenario that was parsed completely before any of it runs. */
export interface Scenario {
  readonly name: string;
  readonly tags: readonly string[];
  /** The file that it was read from; a made-up name for a scenario that came as JSON over HTTP. */
  readonly file: string;
  readonly given: Given;
  /** The keys of `given` in the file itself: only the sandbox can set them up. */
  readonly givenKeys: readonly string[];
  readonly steps: readonly Step[];
  /** The absolute paths of the files whose steps it uses, directly or indirectly. */
  readonly uses: ReadonlySet<string>;
  /** The position of `given`, or of the beginning of the file. */
  readonly givenPosition: SourcePosition;
  /** Whether any of its texts contains `${faker.…}`. */
  readonly usesFaker: boolean;
  /** Whether it creates rules. Only then a wrong signature may be intended. */
  readonly usesRules: boolean;
}

/** The state of the company when the scenario begins. */
export interface Given extends Omit<CompanySetup, "id" | "tokens" | "secretKey"> {
  /** By default a fixed instant, so that a scenario is the same every day. */
  readonly frozenAt: number;
  /** Without `url`, webhooks go to the runner's receiver. */
  readonly webhooks: readonly { readonly topic: string; readonly url: string | undefined }[];
  readonly rules: readonly RuleOrder[];
  /** The records of the fixtures files, which other companies of the scenario have too. */
  readonly shared: CompanySetup["fixtures"];
}

/** A step. Texts in it may contain `${…}`, which is filled in when it runs. */
export type Step = LeafStep | GroupStep;

export type LeafStep = Exclude<ParsedStep, { readonly kind: GroupKeyword }> & Placed;

/** A step that runs others. */
type GroupStep = Extract<ParsedStep, { readonly kind: GroupKeyword }> & Placed & { readonly steps: readonly Step[] };

type GroupKeyword = "parallel" | "repeat" | "use";

/** The steps without groups, which are replaced by their steps. */
export function* leavesOf(steps: readonly Step[]): Generator<LeafStep> {
  for (const step of steps) {
    if ("steps" in step) yield* leavesOf(step.steps);
    else yield step;
  }
}

interface Placed {
  readonly position: SourcePosition;
}

export type StepOf<Kind extends StepKeyword> = Extract<Step, { readonly kind: Kind }>;

/** What the step waits for. Only under `start --scenario`. */
export type When = NonNullable<Step["when"]>;

/** A request, without the fields that all steps have. */
export type RequestFields = Omit<StepOf<"eventually">["eventually"], "within" | "every">;

/** From variable to dotted path with `[0]`. */
export type Saves = Readonly<Record<string, string>>;
