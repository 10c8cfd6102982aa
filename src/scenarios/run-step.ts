import { findTopic } from "../domain/subscriptions/topic.js";
import { assertNever, UsageError } from "../kernel/problem.js";
import { type Failure, StepFailed } from "./failure.js";
import { findMismatches, matches } from "./matchers.js";
import type { Received } from "./receiver.js";
import { runRequest, saveFrom } from "./run-request.js";
import type { AdvanceStep, EventuallyStep, Step, WebhookStep } from "./scenario.js";
import type { StepContext } from "./step-context.js";

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
    failure = describeFailure(step, error);
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
      await control(context, "PUT", "/_sandbox/clock", context.variables.fill(step.clock));
      return undefined;
    case "webhook":
      await runWebhook(context, step);
      return undefined;
    case "rule":
      await control(context, "POST", "/_sandbox/rules", context.variables.fill(step.rule));
      return undefined;
    case "settle":
      await control(context, "POST", "/_sandbox/settle");
      return undefined;
    case "wait":
      await sleep(context, step.ms);
      return undefined;
    case "parallel": {
      const failures = await Promise.all(step.steps.map((branch) => runStep(context, branch)));
      return failures.find((failure) => failure !== undefined);
    }
    case "repeat":
      for (let index = 0; index < step.times; index++) {
        context.variables.save("index", index);
        const failure = await runSteps(context, step.steps);
        if (failure !== undefined) return failure;
      }
      return undefined;
    case "use":
      for (const [name, value] of Object.entries(step.with))
        context.variables.save(name, context.variables.fill(value));
      return runSteps(context, step.steps);
    case "eventually":
      await runEventually(context, step);
      return undefined;
    default:
      return assertNever(step);
  }
}

async function runAdvance(context: StepContext, step: AdvanceStep): Promise<void> {
  const body = context.variables.fill(step.advance);
  const answer = await control(context, "POST", "/_sandbox/clock/advance", body);
  if (step.expect === undefined) return;
  const mismatches = findMismatches(context.variables.fill(step.expect), answer.body, "");
  if (mismatches.length > 0)
    throw new StepFailed({ message: "Time did not bring what was expected", mismatches, answer });
}

/** Settles, then looks at all that came so far. */
async function runWebhook(context: StepContext, step: WebhookStep): Promise<void> {
  await control(context, "POST", "/_sandbox/settle");
  const received = context.world.received();
  const topic = step.topic === undefined ? undefined : context.variables.fillText(step.topic);
  const data = context.variables.fill(step.data);
  const found = received.filter(
    (webhook) => webhook.genuine && isTopic(topic, webhook) && (data === undefined || matches(data, webhook.data)),
  );
  const wanted = step.count ?? 1;
  if (step.count === undefined ? found.length >= 1 : found.length === wanted) {
    if (found[0] !== undefined) saveFrom(context, step.save, found[0], {});
    return;
  }
  const what = `${topic === undefined ? "webhook" : `webhook of ${topic}`}${data === undefined ? "" : " with this data"}`;
  const counted = step.count === undefined ? "at least one" : wanted === 0 ? "no" : `exactly ${wanted}`;
  throw new StepFailed({
    message: `Expected ${counted} ${what}, ${found.length === 0 ? "none" : found.length} came`,
    mismatches: found.length > wanted ? [] : nearestMiss(topic, data, received),
    received,
  });
}

/** "either spelling of a topic matches both" */
function isTopic(topic: string | undefined, webhook: Received): boolean {
  return topic === undefined || webhook.topic === topic || (findTopic(topic) ?? topic) === findTopic(webhook.topic);
}

/** What keeps the most similar webhook of the topic from matching. */
function nearestMiss(topic: string | undefined, data: unknown, received: readonly Received[]) {
  const misses = received
    .filter((webhook) => webhook.genuine && isTopic(topic, webhook))
    .map((webhook) => findMismatches(data ?? {}, webhook.data, "data"))
    .filter((mismatches) => mismatches.length > 0);
  return misses.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

/** Again and again until the answer is as expected: on the company's clock when it stands, in real time when it runs. */
async function runEventually(context: StepContext, step: EventuallyStep): Promise<void> {
  const start = context.system.monotonic();
  for (
    let waitedMs = 0;
    ;
    waitedMs = context.world.frozen ? waitedMs + step.everyMs : context.system.monotonic() - start
  ) {
    try {
      await runRequest(context, step.request);
      return;
    } catch (error) {
      if (!(error instanceof StepFailed) || waitedMs + step.everyMs > step.withinMs) throw error;
    }
    if (context.world.frozen) await control(context, "POST", "/_sandbox/clock/advance", { by: step.everyMs });
    else await sleep(context, step.everyMs);
  }
}

function sleep(context: StepContext, ms: number): Promise<void> {
  return new Promise((resolve) => context.system.after(ms, resolve));
}

/** A call of the control API that must go well. */
async function control(context: StepContext, method: string, path: string, body?: unknown) {
  const answer = await context.world.control(method, path, body);
  if (answer.status < 300) return answer;
  const messages = messagesOf(answer.body);
  throw new UsageError("input", messages.length > 0 ? messages : `${method} ${path} answered ${answer.status}`);
}

function messagesOf(body: unknown): string[] {
  if (typeof body !== "object" || body === null || !("message" in body) || !Array.isArray(body.message)) return [];
  return body.message.map(String);
}

function describeFailure(step: Step, error: unknown): Failure {
  const where = { step: step.name ?? describeStep(step), position: step.position };
  if (error instanceof StepFailed) return { kind: "failure", ...error.details, ...where };
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "error", message, ...where };
}

/** A step without a name is called by what it does. */
function describeStep(step: Step): string {
  switch (step.kind) {
    case "request":
      return `${step.method} ${step.path}`;
    case "eventually":
      return `eventually ${step.request.method} ${step.request.path}`;
    case "advance":
      return `advance ${String(step.advance["by"] ?? step.advance["to"] ?? "to next")}`;
    case "webhook":
      return `${step.count === 0 ? "noWebhook" : "webhook"} ${step.topic ?? ""}`.trim();
    default:
      return step.kind;
  }
}
