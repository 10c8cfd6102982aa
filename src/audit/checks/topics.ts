import { findTopic, topicSpellings } from "../../domain/values/topic.js";
import type { AuditRequest, Exchange, Stage, Verdict } from "../wire/check.js";
import { type Family, familyOf, stepOf, UNKNOWN_TOPIC } from "../wire/events.js";
import { isAccepted, isProof, judgeRefused, mustRefuse } from "../wire/judge.js";
import { post } from "../wire/stage.js";

export const PAYOUTS = "transactions/completed";

const UNSIGNED = "an event without a signature";

/** An unsigned event of every topic: a receiver may verify only one of them. */
export function unsignedOfTopics(stage: Stage): readonly AuditRequest[] {
  const { topic: ordinary } = stage.event().value;
  const others = [UNKNOWN_TOPIC, PAYOUTS, ...topicSpellings.filter((topic) => topic !== PAYOUTS)];
  return [unsigned(stage), ...others.filter((topic) => topic !== ordinary).map((topic) => unsigned(stage, topic))];
}

function unsigned(stage: Stage, topic?: string): AuditRequest {
  const { text } = (topic === undefined ? undefined : stage.eventOf?.(topic)) ?? stage.event();
  return post(stage, topic === undefined ? UNSIGNED : `${UNSIGNED} of the topic ${topic}`, text, { signature: null });
}

/**
 * A topic that is accepted unsigned while unknown topics are refused is handled without verification. If unknown topics are accepted too, the receiver may
 * only acknowledge it.
 */
export function judgeTopics(exchanges: readonly Exchange[]): Verdict {
  const ordinary = exchanges.find(({ request }) => request.sent === UNSIGNED);
  const unknown = exchanges.find((exchange) => topicIn(exchange) === UNKNOWN_TOPIC);
  if (ordinary === undefined || unknown === undefined) return { outcome: "skipped", reason: "no answer came" };
  const verdict = judgeRefused(ordinary);
  if (verdict.outcome !== "passed") return verdict;
  const others = exchanges.filter((exchange) => exchange !== ordinary && exchange !== unknown);
  const accepted = others.filter(isAccepted);
  if (isAccepted(unknown)) {
    // If the receiver verifies one topic of a family, it does not handle the topics of that family that it accepts unsigned.
    const verified = new Set([ordinary, ...others].filter((exchange) => !isAccepted(exchange)).map(familyIn));
    const open = accepted.filter((exchange) => !verified.has(familyIn(exchange)));
    if (open.length > 0) return undecided(open, ACKNOWLEDGED);
  } else if (accepted.length > 0 && isProof(unknown)) {
    const seen = `${UNSIGNED} is accepted when its topic is ${listTopics(accepted)}`;
    return { outcome: "failed", failing: "accepted", seen, exchange: accepted[0] };
  }
  // Any other status may be about the resource rather than the signature.
  const statuses = [401, 403, ordinary.answer?.status, unknown.answer?.status];
  const odd = others.filter((exchange) => isProof(exchange) && !statuses.includes(exchange.answer?.status));
  if (odd.length > 0)
    return undecided(odd, `is answered with ${odd[0]?.answer?.status}, perhaps not for its signature`);
  return mustRefuse(exchanges.filter((exchange) => !isAccepted(exchange)));
}

const ACKNOWLEDGED =
  "is accepted, like one of an unknown topic: the receiver acknowledges what it does not handle, or takes forged events";

function undecided(exchanges: readonly Exchange[], what: string): Verdict {
  const [first] = exchanges;
  const option = first === undefined ? "" : ` (--topic ${topicIn(first)})`;
  const reason = `${UNSIGNED} of ${listTopics(exchanges)} ${what}; audit each topic that it handles${option}`;
  return { outcome: "skipped", reason, exchange: first };
}

function listTopics(exchanges: readonly Exchange[]): string {
  const topics = exchanges.map(topicIn);
  // Where both spellings of a topic are listed, one is enough.
  return topics.filter((topic) => findTopic(topic) === topic || !topics.includes(findTopic(topic) ?? "")).join(", ");
}

function topicIn({ request }: Exchange): string {
  return String(JSON.parse(request.body.toString()).topic);
}

function familyIn(exchange: Exchange): Family {
  return familyOf(stepOf(topicIn(exchange)));
}

/** Whether only payouts are verified: charges and unknown topics are acknowledged unread. */
export async function isForPayouts(stage: Stage): Promise<boolean> {
  if (!isAccepted(await stage.send(unsigned(stage)))) return false;
  const unknown = await stage.send(unsigned(stage, UNKNOWN_TOPIC));
  const payout = await stage.send(unsigned(stage, PAYOUTS));
  return isAccepted(unknown) && isProof(payout) && !isAccepted(payout);
}
