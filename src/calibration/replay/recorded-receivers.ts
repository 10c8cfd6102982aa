import type { Transport } from "../../adapters/delivery/transport.js";
import { Bug } from "../../kernel/messages/problem.js";
import type { Instant } from "../../kernel/time/instant.js";
import type { SupposedSubscription } from "../earlier/suppose.js";
import type { ExchangeName, RecordedWebhook } from "../recording/entry.js";
import { eventOf } from "../recording/resources.js";
import type { Bindings } from "./bindings.js";
import { type SentWebhook, sentEventOf, topicOf } from "./compare-webhooks.js";

/** Events with longer names are not of the contract. A proxy keeps the names as long as it runs. */
const EVENT_MAX = 1_000;

/** The receivers of a recording: they answer as they did then, and with 200 to attempts that the recording does not have. */
export class RecordedReceivers {
  readonly #bindings: Bindings;
  /** Topics and URLs for which the recording has no webhooks. */
  readonly #silent: ReadonlySet<string>;
  /** The statuses that receivers answered in the recording, by event. */
  readonly #recorded = new Map<string, RecordedWebhook["status"][]>();
  readonly #attempts = new Map<string, number>();
  /** Attempts of the sandbox without a counterpart in the recording so far. */
  sent: SentWebhook[] = [];
  /** The last exchange that was replayed. */
  exchange: ExchangeName | undefined;
  /** The request that is being answered: deliveries wait for it, since its ids are bound then. */
  request: Promise<void> = Promise.resolve();

  constructor(bindings: Bindings, supposed: readonly SupposedSubscription[]) {
    this.#bindings = bindings;
    const silent = supposed.filter(({ isSilent }) => isSilent);
    this.#silent = new Set(silent.map(({ topic, url }) => `${topic} ${url}`));
  }

  /** Notes what a receiver will answer to an event. */
  foresee(webhook: RecordedWebhook): void {
    const event = eventOf(webhook.body);
    if (event.length > EVENT_MAX) return;
    const statuses = this.#recorded.get(event);
    if (statuses === undefined) this.#recorded.set(event, [webhook.status]);
    else statuses.push(webhook.status);
  }

  transport(now: () => Instant): Transport {
    return {
      send: async ({ url, body, headers }) => {
        await this.request;
        const parsed = JSON.parse(body.toString()) as SentWebhook["body"];
        if (this.#silent.has(`${topicOf(parsed)} ${url}`)) return answerOf(200);
        if (this.exchange === undefined) throw new Bug("A webhook was sent before the recording began.");
        this.sent.push({ at: now(), headers, body: parsed, exchange: this.exchange });
        const event = sentEventOf(parsed, this.#bindings);
        const nth = this.#attempts.get(event) ?? 0;
        this.#attempts.set(event, nth + 1);
        const statuses = this.#recorded.get(event) ?? [];
        return answerOf(nth < statuses.length ? statuses[nth] : 200);
      },
      close: async () => undefined,
    };
  }
}

function answerOf(status: number | undefined): Awaited<ReturnType<Transport["send"]>> {
  if (status === undefined) return { status: null, latencyMs: 0, error: "no answer", response: null };
  const error = isSuccess(status) ? null : `answered ${status}`;
  return { status, latencyMs: 0, error, response: { headers: {}, body: "" } };
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
