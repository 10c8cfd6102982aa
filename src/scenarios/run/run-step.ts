import { findTopic } from "../../domain/values/topic.js";
import { type Failure, StepFailed, reasonOf } from "./failure.js";
import { type Mismatch, findMismatches, matches } from "../../kernel/matchers.js";
import type { Received } from "./receiver.js";
import { type StepContext, runRequest, saveFrom } from "./run-request.js";
import type {
  AdvanceStep,
  EventuallyStep,
  ParallelStep,
  RepeatStep,
  RequestStep,
  Step,
  WebhookStep,
} from "../file/scenario.js";
import { formatDuration } from "../../kernel/duration.js";
import { UsageError, assertNever } from "../../kernel/problem.js";
import type { Variables } from "./variables.js";

/** Runs steps in order; stops at the first that fails and says where. */
export async function runSteps(context: StepContext, steps: readonly Step[]): Promise<Failure | undefined> {
  for (const step of steps) {
    const failure = await runStep(context, step);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

async function runStep(context: StepContext, step: Step): Promise<Failure | undefined> {
  let failure: Failure | undefined;
  try {
    if (step.when !== undefined) await context.waitFor?.(step.when);
    failure = await perform(context, step);
  } catch (error) {
    failure = describeFailure(context, step, error);
  }
  context.onStep(step, failure);
  return failure;
}

/** What a step with steps of its own returns is theirs: the innermost place is the one worth reading. */
async function perform(context: StepContext, step: Step): Promise<Failure | undefined> {
  switch (step.kind) {
    case "request":
      await runRequest(context, step);
      return undefined;
    case "advance":
      await runAdvance(context, step);
      return undefined;
    case "clock":
      await context.world.control("PUT", "/_sandbox/clock", context.variables.fill(step.clock));
      return undefined;
    case "webhook":
      await runWebhook(context, step);
      return undefined;
    case "rule":
      await context.world.control("POST", "/_sandbox/rules", context.variables.fill(step.rule));
      return undefined;
    case "settle":
      await context.world.control("POST", "/_sandbox/settle");
      return undefined;
    case "wait":
      await context.system.sleep(step.ms);
      return undefined;
    case "parallel":
      return runParallel(context, step);
    case "repeat":
      return runRepeat(context, step);
    case "use":
      return runBranch(context, step.steps, fillEach(context, step.with));
    case "eventually":
      await runEventually(context, step);
      return undefined;
    default:
      return assertNever(step);
  }
}

/** Branches share what was saved before, and nothing of each other; afterwards everything is known, in the order of the file. */
async function runParallel(
  { variables, ...context }: StepContext,
  { steps }: ParallelStep,
): Promise<Failure | undefined> {
  const branches = steps.map((step) => ({ step, variables: variables.branch() }));
  const failures = await Promise.all(
    branches.map((branch) => runStep({ ...context, variables: branch.variables }, branch.step)),
  );
  for (const branch of branches) variables.adopt(branch.variables);
  return failures.find((failure) => failure !== undefined);
}

async function runRepeat(context: StepContext, { times, steps }: RepeatStep): Promise<Failure | undefined> {
  for (let index = 0; index < times; index++) {
    const failure = await runBranch(context, steps, { index });
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/** Steps that know some variables more; what they save is known afterwards. */
async function runBranch(
  { variables, ...context }: StepContext,
  steps: readonly Step[],
  locals: Readonly<Record<string, unknown>>,
): Promise<Failure | undefined> {
  const branch = variables.branch(locals);
  const failure = await runSteps({ ...context, variables: branch }, steps);
  variables.adopt(branch);
  return failure;
}

function fillEach({ variables }: StepContext, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, variables.fill(value)]));
}

async function runAdvance(context: StepContext, step: AdvanceStep): Promise<void> {
  const body = context.variables.fill(step.advance);
  const answer = await context.world.control("POST", "/_sandbox/clock/advance", body);
  if (step.expect === undefined) return;
  const mismatches = findMismatches(context.variables.fill(step.expect), answer.body, "");
  if (mismatches.length > 0)
    throw new StepFailed({ message: "Time did not bring what was expected", mismatches, answer });
}

/** Again and again until the answer is as expected: on the company's clock when it stands, in real time when it runs. */
async function runEventually(context: StepContext, step: EventuallyStep): Promise<void> {
  const { withinMs, everyMs, request } = step;
  const start = context.system.monotonic();
  let waitedMs = 0;
  for (;;) {
    const failed = await attempt(context, request);
    if (failed === undefined) return;
    if (waitedMs + everyMs > withinMs) {
      throw new StepFailed({ ...failed.details, message: `${failed.message}, even after ${formatDuration(waitedMs)}` });
    }
    if (context.world.frozen) {
      await context.world.control("POST", "/_sandbox/clock/advance", { by: everyMs });
      waitedMs += everyMs;
    } else {
      await context.system.sleep(everyMs);
      waitedMs = context.system.monotonic() - start;
    }
  }
}

/** What was otherwise than expected; what could not be done at all is thrown. */
async function attempt(context: StepContext, request: RequestStep): Promise<StepFailed | undefined> {
  try {
    await runRequest(context, request);
    return undefined;
  } catch (error) {
    if (error instanceof StepFailed) return error;
    throw error;
  }
}

function describeFailure({ variables }: StepContext, step: Step, error: unknown): Failure {
  const where = {
    step: step.name === undefined ? describeStep(step) : fillName(variables, step.name),
    position: step.position,
  };
  if (error instanceof StepFailed) return { kind: "failure", ...error.details, ...where };
  return { kind: "error", message: reasonOf(error), ...where };
}

/** The name stays as it is written when something in it has no value: the step's own failure is what is to be told. */
function fillName(variables: Variables, name: string): string {
  try {
    return variables.fillText(name);
  } catch (error) {
    if (error instanceof UsageError) return name;
    throw error;
  }
}

/** A step without a name is called by what it does. */
function describeStep(step: Step): string {
  switch (step.kind) {
    case "request":
      return `${step.method} ${step.path}`;
    case "eventually":
      return `eventually ${step.request.method} ${step.request.path}`;
    case "advance":
      return `advance ${step.advance.by ?? step.advance.to ?? "to next"}`;
    case "webhook":
      return `${step.count === 0 ? "noWebhook" : "webhook"} ${step.topic ?? ""}`.trim();
    default:
      return step.kind;
  }
}

/** Settles, then looks at all that came so far: "at least one match among all", or exactly `count`. */
export async function runWebhook(context: StepContext, step: WebhookStep): Promise<void> {
  await context.world.control("POST", "/_sandbox/settle");
  const received = context.world.received();
  const topic = step.topic === undefined ? undefined : context.variables.fillText(step.topic);
  const data = context.variables.fill(step.data);
  const ofTopic = received.filter((webhook) => webhook.genuine && isTopic(topic, webhook));
  const found = ofTopic.filter((webhook) => data === undefined || matches(data, webhook.data));
  const { count } = step;
  if (count === undefined ? found.length > 0 : found.length === count) {
    if (found[0] !== undefined) saveFrom(context, step.save, found[0], {});
    return;
  }
  const wanted = count === undefined ? "at least one" : count === 0 ? "no" : `exactly ${count}`;
  const what = `webhook${topic === undefined ? "" : ` of ${topic}`}${data === undefined ? "" : " with this data"}`;
  throw new StepFailed({
    message: `Expected ${wanted} ${what}, but ${howMany(found.length, ofTopic.length)}`,
    mismatches: found.length > (count ?? 1) ? [] : nearestMiss(data, ofTopic),
    received,
  });
}

function howMany(found: number, ofTopic: number): string {
  if (found > 0) return `${found} came`;
  return ofTopic === 0 ? "none came" : `none of the ${ofTopic} that came is like it`;
}

/** "either spelling of a topic matches both" */
function isTopic(topic: string | undefined, webhook: Received): boolean {
  return topic === undefined || webhook.topic === topic || (findTopic(topic) ?? topic) === findTopic(webhook.topic);
}

/** What keeps the most similar webhook from matching. */
function nearestMiss(data: unknown, received: readonly Received[]): readonly Mismatch[] {
  return received
    .map((webhook) => findMismatches(data ?? {}, webhook.data, "data"))
    .filter((mismatches) => mismatches.length > 0)
    .reduce<readonly Mismatch[]>((best, next) => (best.length === 0 || next.length < best.length ? next : best), []);
}
