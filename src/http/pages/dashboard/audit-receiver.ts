import { parseRequest } from "../../../contract/parse.js";
import { subscriptionRequest } from "../../../contract/subscriptions.js";
import { webhookSettings } from "../../../domain/profile/settings-webhooks.js";
import { UsageError } from "../../../kernel/problem.js";
import type { SystemClock } from "../../../kernel/system-clock.js";
import type { HttpContext } from "../../shared/env.js";
import { whenAborted, whenAnswered } from "../../shared/after-answer.js";
import type { Fields } from "./view/actions.js";
import { quoted } from "./view/curl.js";
import type { AuditedReceiver, Auditor } from "./view/auditor.js";
import type { Company } from "../../../sandbox/company/company.js";
import { shownTopic } from "../../../domain/model/subscription.js";
import type { Topic } from "../../../domain/values/topic.js";

/** However slow the receiver is. Some audit of a shared sandbox waits for it. */
const AUDIT_MS_MAX = 5 * 60_000;
/** An answer may take as long as the company's deliveries wait for one, and no longer than this. */
const ANSWER_MS_MAX = 10_000;

/** Of events for a receiver that no subscription names. */
const TOPIC: Topic = "charges/events";

interface Auditing {
  readonly system: SystemClock;
  readonly company: Company;
  readonly auditor: Auditor;
}

/**
 * Audits the receiver that a form names, with the company's own secret key, header and topic. It is over when the one who asked has left, when the server
 * stops, and after five minutes.
 *
 * Refuses what a subscription to that URL would be refused for: by an audit nobody reaches what the company's webhooks may not. Throws UsageError for a
 * receiver that cannot be reached.
 */
export async function auditReceiver(
  { system, company, auditor }: Auditing,
  c: HttpContext,
  { url: given = "", topic: wanted, only }: Fields,
): Promise<{ readonly report: AuditedReceiver; readonly command: string }> {
  const { profile, record } = company;
  const { signatureHeader, allow, insecureTls, timeout } = profile.webhooks;
  const asked = { topic: wanted ?? topicFor(company, given), url: given };
  const { topic, url } = parseRequest(subscriptionRequest(profile), asked, "The form");
  const ending = new AbortController();
  const endFor = (why: string) => (): void => ending.abort(new UsageError("state", `The audit was ended: ${why}.`));
  const stops = [
    whenAnswered(c, endFor("nobody waits for it any more")),
    whenAborted(c.env?.stopping, endFor("the sandbox stops")),
    system.after(AUDIT_MS_MAX, endFor("it had taken five minutes")),
  ];
  try {
    const report = await auditor.audit({
      url,
      secret: record.identity.secretKey,
      header: signatureHeader,
      topic,
      only,
      timeoutMs: Math.min(timeout, ANSWER_MS_MAX),
      insecureTls,
      allow,
      signal: ending.signal,
    });
    return { report, command: commandFor(report.receiver, { header: signatureHeader, topic, only }) };
  } finally {
    for (const stop of stops) stop();
  }
}

/** As the company's deliveries to it are spelled. */
function topicFor({ world, profile }: Company, url: string): string {
  const named = [...world.subscriptions.values()].find((subscription) => subscription.url === url);
  return shownTopic(profile, named ?? { topic: TOPIC, spelling: TOPIC });
}

/** The same from a terminal; the secret key is where it belongs, in the environment. */
export function commandFor(
  url: string,
  { header, topic, only }: { readonly header: string; readonly topic: string; readonly only?: string | undefined },
): string {
  return [
    `sandbox audit ${quoted(url)} --secret "$SANDBOX_SECRET_KEY"`,
    ...(header === webhookSettings.signatureHeader.default ? [] : [`--header ${quoted(header)}`]),
    ...(topic === TOPIC ? [] : [`--topic ${topic}`]),
    ...(only === undefined ? [] : [`--only ${quoted(only)}`]),
  ].join(" ");
}
