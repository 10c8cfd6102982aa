/** The library: a sandbox in the process of a test, and its types. */
export { createSandbox } from "./library/create-sandbox.js";
export { audit } from "./library/audit.js";
export { explore, vary } from "./library/experiments.js";
export { calibrate } from "./library/files.js";
export type { CalibrateOptions } from "./library/files.js";
export type { CalibrationReport, CalibratedSetting, Drift as CalibrationDrift } from "./calibration/report/report.js";
export type { Experiment, ExploreOptions, VaryOptions } from "./library/experiments.js";
export type { ExploreReport, ExploreRun } from "./experiments/explore/report.js";
export type { VaryReport, VariedSetting, Question as VaryQuestion } from "./experiments/vary/report.js";
export type { AuditOptions } from "./library/audit.js";
export type { AuditReport, AuditVerdict, CheckResult as AuditCheck } from "./audit/report.js";
export type { Sandbox, ReplayReport } from "./library/sandbox-handle.js";
export type { CompanyOptions, SandboxOptions } from "./library/sandbox-options.js";
export type { CompanyHandle } from "./library/company-handle.js";
export type { Customer, CustomersHandle, Person } from "./library/customers-handle.js";
export type { FetchInit, JsonResponse } from "./library/in-process-fetch.js";
export type { Advanced, AdvanceOptions, ClockHandle, DueItem } from "./library/clock-handle.js";
export type {
  DeliveryRuleInput,
  Matcher,
  PaymentRuleInput,
  RequestRuleInput,
  Rule,
  RuleInput,
  RulesHandle,
  TransferRuleInput,
} from "./library/rules-handle.js";
export type { WaitOptions, WebhookAttempt, WebhookDelivery, WebhookLog } from "./library/webhook-log.js";
export type {
  CauseCoverage,
  Coverage,
  CoverageSection,
  OpenPointCoverage,
  OperationCoverage,
  RuleCoverage,
  TopicCoverage,
  TransitionCoverage,
} from "./sandbox/coverage/coverage-report.js";
export type { Finding, FindingKind, FindingRequest } from "./sandbox/findings/finding.js";
export type { RunReport, UnacknowledgedWebhook } from "./sandbox/run-report.js";
export { UsageError } from "./kernel/messages/problem.js";
export { ScenarioFailed } from "./library/sandbox-handle.js";

export type {
  ChargeEvent,
  ChargeTopic,
  TopicName,
  TransactionEvent,
  TransactionTopic,
  WebhookEvent,
} from "./library/webhook-events.js";
export type { DurationInput, ProfileInput } from "./domain/profile/profile.js";
export type {
  BalanceBody as Balance,
  BatchBody as Batch,
  BatchRequest,
  ChargeBody as Charge,
  ChargeEntryBody as ChargeEntry,
  ChargeRequest,
  CreatedChargeBody as CreatedCharge,
  CustomerCheckBody as CustomerCheck,
  ErrorBody,
  PageBody as Page,
  PayRequest,
  RefundRequest,
  SubscriptionBody as WebhookSubscription,
  SubscriptionRequest as WebhookSubscriptionRequest,
  TransactionBody as Transaction,
  TransactionRequest,
} from "./contract/resources.js";
