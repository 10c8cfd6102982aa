import type { TopicName, WebhookEvent } from "./webhook-events.js";

/** The webhooks that a company's events cause, whether or not anybody has subscribed to them. */
export interface WebhookLog {
  /**
   * Waits for the first event of a topic that `matches`, whether it has come already or is still to come; of this company only. It resolves once
   * every subscriber of the event has answered its first attempt, or failed to: what your receiver does with it has been done by then.
   *
   * It moves no time. On a frozen clock a transfer settles when the clock is advanced, so advance first.
   *
   * Rejects with `UsageError` after `timeout` (its message lists the webhooks that did come, and what the clock would bring next), when the company
   * is closed meanwhile, and for something that is not a topic. What `matches` throws it rejects with too.
   *
   * @param topic in either spelling: `charges/events` and `charge/events` mean the same.
   * @param matches the first event for which it is true; without it, the first of the topic.
   *
   * @example
   * ```ts
   * const { data: charge } = await sandbox.webhooks.waitFor("charges/events", ({ data }) => data.status === "paid");
   * ```
   */
  waitFor<Name extends TopicName>(
    topic: Name,
    matches?: (event: WebhookEvent<Name>) => boolean,
    options?: WaitOptions,
  ): Promise<WebhookEvent<Name>>;
  /**
   * Every event so far, oldest first; of a topic, or of all. Throws `UsageError` for something that is not a topic.
   *
   * @example
   * ```ts
   * const told = sandbox.webhooks.list("transactions/completed").map(({ data }) => data.reference);
   * ```
   */
  list<Name extends TopicName>(topic?: Name): readonly WebhookEvent<Name>[];
}

export interface WaitOptions {
  /** How long to wait, in real time: `2s`, `PT2S`, or a number of milliseconds. Default 5 s. */
  readonly timeout?: string | number;
}
