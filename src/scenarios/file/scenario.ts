import type { RuleOrder } from "../../domain/rules/change-rules.js";
import type { SourcePosition } from "../../kernel/problem.js";
import type { CompanySetup } from "../../sandbox/state/fixture.js";

/** A scripted story, parsed wholly before anything of it runs. */
export interface Scenario {
  readonly name: string;
  readonly tags: readonly string[];
  /** Where it was read from; for a scenario that came as JSON over HTTP, what stands for a file in its messages. */
  readonly file: string;
  readonly given: Given;
  /** What the file itself says of the world: only the sandbox can bring it about. */
  readonly givenKeys: readonly string[];
  readonly steps: readonly Step[];
  /** The absolute paths of the files whose steps it uses, and of those that these use. */
  readonly uses: ReadonlySet<string>;
  /** Where the file says what the world is like, or where it begins. */
  readonly givenPosition: SourcePosition;
  /** Whether a text of it draws from `${faker.…}`. */
  readonly usesFaker: boolean;
  /** Whether it makes rules: only then a wrong signature may be meant. */
  readonly usesRules: boolean;
}

/** What the world is like when the story begins. */
export interface Given extends Omit<CompanySetup, "id" | "tokens" | "secretKey"> {
  /** Told by the file itself; else a fixed instant, so that a story is the same every day. */
  readonly frozenAt: number;
  /** `url` undefined: caught by the runner's own receiver. */
  readonly webhooks: readonly { readonly topic: string; readonly url: string | undefined }[];
  /** Handed to the control API as they are. */
  readonly rules: readonly RuleOrder[];
}

/** Texts in a step may hold `${…}`; they are filled in when it runs. */
interface StepBase {
  readonly name: string | undefined;
  readonly position: SourcePosition;
  /** Only under `start --scenario`: what the step waits for. */
  readonly when: When | undefined;
}

export interface When {
  readonly request?: unknown;
  readonly event?: unknown;
}

export interface RequestStep extends StepBase {
  readonly kind: "request";
  readonly method: string;
  /** From the root, `${…}` allowed: `/v1/charges/${charge}`. */
  readonly path: string;
  readonly body: unknown;
  /** Sent as it is, whatever it is. */
  readonly rawBody: string | undefined;
  /** The name of another company, opened at its first use. */
  readonly as: string | undefined;
  /** Undefined: the company's own; null: none. */
  readonly token: string | null | undefined;
  /** Null: not sent, where it would be by itself. */
  readonly headers: Readonly<Record<string, string | number | null>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly expect: Expectation | undefined;
  readonly save: Saves;
}

export interface Expectation {
  readonly status?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
  /** No answer comes. */
  readonly lost?: true | undefined;
}

/** Variable → dotted path with `[0]` in `{status, headers, body}`. */
export type Saves = Readonly<Record<string, string>>;

export interface AdvanceStep extends StepBase {
  readonly kind: "advance";
  /** The body of POST /_sandbox/clock/advance. */
  readonly advance: Readonly<{ by?: string | number | undefined; to?: string | undefined; toNext?: true | undefined }>;
  readonly expect: unknown;
}

export interface ClockStep extends StepBase {
  readonly kind: "clock";
  /** The body of PUT /_sandbox/clock. */
  readonly clock: Readonly<Record<string, unknown>>;
}

export interface WebhookStep extends StepBase {
  readonly kind: "webhook";
  readonly topic: string | undefined;
  readonly data: unknown;
  /** Undefined: at least one. 0 is `noWebhook`. */
  readonly count: number | undefined;
  readonly save: Saves;
}

export interface RuleStep extends StepBase {
  readonly kind: "rule";
  readonly rule: unknown;
}

export interface SettleStep extends StepBase {
  readonly kind: "settle";
}

export interface WaitStep extends StepBase {
  readonly kind: "wait";
  /** Real time. */
  readonly ms: number;
}

export interface ParallelStep extends StepBase {
  readonly kind: "parallel";
  readonly steps: readonly Step[];
}

export interface RepeatStep extends StepBase {
  readonly kind: "repeat";
  readonly times: number;
  readonly steps: readonly Step[];
}

export interface UseStep extends StepBase {
  readonly kind: "use";
  readonly file: string;
  /** Variables for it. */
  readonly with: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
}

export interface EventuallyStep extends StepBase {
  readonly kind: "eventually";
  readonly withinMs: number;
  readonly everyMs: number;
  readonly request: RequestStep;
}

export type Step =
  | RequestStep
  | AdvanceStep
  | ClockStep
  | WebhookStep
  | RuleStep
  | SettleStep
  | WaitStep
  | ParallelStep
  | RepeatStep
  | UseStep
  | EventuallyStep;
