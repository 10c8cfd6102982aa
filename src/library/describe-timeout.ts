import type { Delivery } from "../domain/model/delivery.js";
import { formatDuration } from "../kernel/duration.js";
import { toIso } from "../kernel/instant.js";
import type { Company } from "../sandbox/company/company.js";
import type { WebhookEvent } from "./webhook-events.js";
import { shownSubject } from "../domain/model/work.js";

interface Missed {
  readonly company: Company;
  readonly name: string;
  readonly timeoutMs: number;
  /** Every event so far, oldest first. */
  readonly came: readonly WebhookEvent[];
  /** Of the event that matched: the deliveries whose first attempt is not over. */
  readonly unanswered: readonly Delivery[];
}

/** Of the webhooks that did come, the message has the latest. */
const CAME_MAX = 20;
const LINE_MAX = 400;

/** What came instead, and what the clock would have brought: so that nobody has to run it again to find out. */
export function describeTimeout({ company, name, timeoutMs, came, unanswered }: Missed): string {
  const failed = `Failed to wait for a webhook of ${name}`;
  const within = `within ${formatDuration(timeoutMs)}`;
  if (unanswered.length > 0) {
    const to = unanswered.map(({ url, id }) => `  ${url} (${id})`).join("\n");
    return `${failed}: one that matches happened, but these subscribers did not answer it ${within}:\n${to}`;
  }
  const lines = [`${failed}: none that matches came ${within}. ${describeCame(came)}`];
  const next = company.world.due.peek();
  if (company.clock.mode === "frozen" && next !== undefined) {
    lines.push(
      `The clock stands still at ${toIso(company.now())}. Due next: ${next.kind} of ${shownSubject(next)} in ${formatDuration(next.dueAt - company.now())}. Advance the clock if that is what is waited for.`,
    );
  }
  return lines.join("\n");
}

function describeCame(came: readonly WebhookEvent[]): string {
  if (came.length === 0) return "None of any topic did.";
  const lines = came.slice(-CAME_MAX).map(({ topic, data }) => {
    const text = JSON.stringify(data);
    return `  ${topic} ${data.status} ${text.length > LINE_MAX ? `${text.slice(0, LINE_MAX)}…` : text}`;
  });
  const before = came.length - lines.length;
  return [`These did:`, ...(before > 0 ? [`  … ${before} before`] : []), ...lines].join("\n");
}
