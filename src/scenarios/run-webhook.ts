import { findTopic } from "../domain/subscriptions/topic.js";
import { StepFailed } from "./failure.js";
import { findMismatches, matches, type Mismatch } from "../kernel/matchers.js";
import type { Received } from "./receiver.js";
import { saveFrom } from "./run-request.js";
import type { WebhookStep } from "./scenario.js";
import type { StepContext } from "./step-context.js";

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
