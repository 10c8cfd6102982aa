import { formatDuration } from "../../kernel/time/duration.js";
import { type Mismatch, findMismatches, matches } from "../../kernel/matchers.js";
import { unlessAborted } from "../../kernel/events.js";
import { UsageError, assertNever, reasonOf } from "../../kernel/messages/problem.js";
import { Effort } from "../../kernel/effort.js";
import type { LeafStep, Saves, Step, StepOf } from "../file/scenario.js";
import { type Failure, StepFailed } from "./failure.js";
import type { Received } from "./receiver.js";
import { type StepContext, runRequest, saveFrom } from "./run-request.js";
import type { Variables } from "./variables.js";
import { findTopic } from "../../domain/values/topic.js";

/** Runs steps in order, and stops at the first one that fails. */
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
    failure = await perform(context, step).finally(() => context.variables.release());
  } catch (error) {
    failure = describeFailure(context, step, error);
  }
  context.onStep(step, failure);
  return failure;
}

/** Runs a step. Throws when the step itself fails; returns the failure of an inner step. */
async function perform(context: StepContext, step: Step): Promise<Failure | undefined> {
  switch (step.kind) {
    case "parallel":
      return runParallel(context, step.steps);
    case "repeat":
      return runRepeat(context, step);
    case "use":
      return runUse(context, step);
    default:
      await unlessAborted(context.signal, () => performLeaf(context, step));
      return undefined;
  }
}

async function performLeaf(context: StepContext, step: LeafStep): Promise<unknown> {
  const { world, variables, system, signal } = context;
  switch (step.kind) {
    case "request":
      return runRequest(context, step);
    case "advance":
      return runAdvance(context, step);
    case "clock":
      return world.control("PUT", "/_sandbox/clock", variables.fill(step.clock));
    case "webhook":
      return runWebhook(context, step.webhook, step.save);
    case "noWebhook":
      return runWebhook(context, { ...step.noWebhook, count: 0 });
    case "rule":
      return world.control("POST", "/_sandbox/rules", variables.fill(step.rule));
    case "settle":
      return world.settle();
    case "wait":
      return system.sleep(step.wait, signal);
    case "eventually":
      return runEventually(context, step.eventually);
    default:
      return assertNever(step);
  }
}

/** After this many branches have begun, other work of the process gets its turn. */
const BRANCHES_IN_A_TURN = 64;

/** Branches know the variables that were saved before, but not those of each other. Afterwards all are known, in the order of the file. */
async function runParallel(
  { variables, signal, ...context }: StepContext,
  steps: readonly Step[],
): Promise<Failure | undefined> {
  const branches = steps.map((step) => ({ step, variables: variables.branch() }));
  const running: Promise<void>[] = [];
  // Only the first failure in the order of the file is kept: each has an answer, and there may be thousands.
  let failed: { readonly index: number; readonly failure: Failure } | undefined;
  for (const [index, branch] of branches.entries()) {
    // Each branch has its own signal, because adding a listener to a signal takes longer the more listeners it has.
    const own = signal && AbortSignal.any([signal]);
    const run = async (): Promise<void> => {
      const failure = await runStep({ ...context, variables: branch.variables, signal: own }, branch.step);
      if (failure !== undefined && (failed === undefined || index < failed.index)) failed = { index, failure };
    };
    running.push(run());
    if (running.length % BRANCHES_IN_A_TURN === 0) await context.system.yieldToEventLoop();
  }
  await Promise.all(running);
  for (const branch of branches) variables.adopt(branch.variables);
  return failed?.failure;
}

async function runRepeat(
  context: StepContext,
  { repeat: { times }, steps }: StepOf<"repeat">,
): Promise<Failure | undefined> {
  for (let index = 0; index < times; index++) {
    const failure = await runBranch(context, steps, { index });
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function runUse(context: StepContext, step: StepOf<"use">): Promise<Failure | undefined> {
  const values = Object.entries(step.with ?? {}).map(([name, value]) => [name, context.variables.fill(value)]);
  return runBranch(context, step.steps, Object.fromEntries(values));
}

/** Runs steps with additional variables. What the steps save is known afterwards. */
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

async function runAdvance({ variables, world }: StepContext, step: StepOf<"advance">): Promise<void> {
  const answer = await world.control("POST", "/_sandbox/clock/advance", variables.fill(step.advance));
  if (step.expect === undefined) return;
  const mismatches = findMismatches(variables.fill(step.expect), answer.body, "");
  if (mismatches.length > 0)
    throw new StepFailed({ message: "The expected answer did not come in time", mismatches, answer });
}

/** Repeats the request until its answer is as expected. In between it advances a frozen clock, or waits in real time. */
async function runEventually(
  context: StepContext,
  { within, every, ...request }: StepOf<"eventually">["eventually"],
): Promise<void> {
  const { system, world, variables, signal } = context;
  const company = request.as === undefined ? world : world.other(variables.fillText(request.as));
  const start = system.monotonic();
  let waitedMs = 0;
  for (;;) {
    signal?.throwIfAborted();
    let failed: StepFailed;
    try {
      return await runRequest(context, request);
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      failed = error;
      variables.release();
    }
    if (waitedMs + every > within) {
      throw new StepFailed({ ...failed.details, message: `${failed.message}, even after ${formatDuration(waitedMs)}` });
    }
    if (company.frozen) {
      await world.control("POST", `/_sandbox/clock/advance?company=${encodeURIComponent(company.companyId)}`, {
        by: every,
      });
      waitedMs += every;
    } else {
      await system.sleep(every, signal);
      waitedMs = system.monotonic() - start;
    }
  }
}

/** Waits until all deliveries have ended, then expects exactly `count` matching webhooks among all received so far, or at least one. */
async function runWebhook(
  context: StepContext,
  expected: StepOf<"webhook">["webhook"],
  saves: Saves = {},
): Promise<void> {
  const { world, variables } = context;
  await world.settle();
  const received = world.received();
  const topic = expected.topic === undefined ? undefined : variables.fillText(expected.topic);
  const data = variables.fill(expected.data);
  const ofTopic = received.filter((webhook) => webhook.genuine && isTopic(topic, webhook));
  const effort = new Effort();
  const found = ofTopic.filter((webhook) => data === undefined || matches(data, webhook.data, effort));
  const { count } = expected;
  if (count !== undefined && found.length <= count && effort.givenUp > 0)
    throw new UsageError("input", "Failed to count the webhooks: to compare their data would take too long.");
  if (count === undefined ? found.length > 0 : found.length === count) {
    if (found[0] !== undefined) saveFrom(context, saves, found[0], {});
    return;
  }
  const wanted = count === undefined ? "at least one" : count === 0 ? "no" : `exactly ${count}`;
  const what = `webhook${topic === undefined ? "" : ` of ${topic}`}${data === undefined ? "" : " with this data"}`;
  throw new StepFailed({
    message: `Expected ${wanted} ${what}, but ${describeFound(found.length, ofTopic.length)}`,
    mismatches: found.length > (count ?? 1) ? [] : nearestMismatches(data, ofTopic, effort),
    received: [...received],
  });
}

function describeFound(found: number, ofTopic: number): string {
  if (found > 0) return `${found} came`;
  return ofTopic === 0 ? "none came" : `none of the ${ofTopic} that came matches`;
}

/** Either spelling of a topic matches both. */
function isTopic(topic: string | undefined, webhook: Received): boolean {
  return topic === undefined || webhook.topic === topic || (findTopic(topic) ?? topic) === findTopic(webhook.topic);
}

/** Why the most similar webhook does not match. */
function nearestMismatches(data: unknown, received: readonly Received[], effort: Effort): readonly Mismatch[] {
  const [best = []] = received
    .map((webhook) => findMismatches(data ?? {}, webhook.data, "data", effort))
    .filter((mismatches) => mismatches.length > 0)
    .sort((a, b) => a.length - b.length);
  return best;
}

/** Nothing is redacted yet: of thousands of branches only one failure is reported. */
function describeFailure({ variables }: StepContext, step: Step, error: unknown): Failure {
  const where = {
    step: step.name === undefined ? describeStep(step) : fillName(variables, step.name),
    position: step.position,
  };
  return error instanceof StepFailed
    ? { kind: "failure", ...error.details, ...where }
    : { kind: "error", message: reasonOf(error), ...where };
}

/** Variables without a value stay in the name: the failure of the step itself matters more. */
function fillName(variables: Variables, name: string): string {
  try {
    return variables.fillText(name);
  } catch (error) {
    if (error instanceof UsageError) return name;
    throw error;
  }
}

/** Describes a step without a name by what it does. */
function describeStep(step: Step): string {
  switch (step.kind) {
    case "request":
      return step.request;
    case "eventually":
      return `eventually ${step.eventually.request}`;
    case "advance": {
      const { by, to = "to next" } = { to: undefined, ...step.advance };
      return `advance ${by ?? to}`;
    }
    case "webhook":
      return `${step.webhook.count === 0 ? "noWebhook" : "webhook"} ${step.webhook.topic ?? ""}`.trim();
    case "noWebhook":
      return `noWebhook ${step.noWebhook.topic ?? ""}`.trim();
    default:
      return step.kind;
  }
}
