/** The library: a sandbox in a test's own process, and the types of everything it says. */
export { createSandbox, type Sandbox } from "./library/create-sandbox.js";
export type { CompanyHandle, CustomersHandle, FetchInit } from "./library/company-handle.js";
export type { Advanced, ClockHandle } from "./library/clock-handle.js";
export type { SandboxOptions } from "./library/library-options.js";
export type { ReplayReport } from "./library/replay-files.js";
export type { TopicName, WaitOptions, WebhookEvent, WebhookLog } from "./library/webhook-log.js";
export type {
  BalanceBody as Balance,
  BatchBody as Batch,
  ChargeBody as Charge,
  ChargeEntryBody as ChargeEntry,
  CustomerCheckBody as CustomerCheck,
  ErrorBody,
  PageBody as Page,
  SubscriptionBody as WebhookSubscription,
  TransactionBody as Transaction,
  WebhookBody as Webhook,
} from "./contract/resources.js";
export type { Topic } from "./domain/subscriptions/topic.js";
