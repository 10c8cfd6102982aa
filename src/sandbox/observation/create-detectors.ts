import type { Detector } from "./detectors/detector.js";
import { createDoublePayoutDetector } from "./detectors/double-payout.js";
import { createPayAfterDropDetector } from "./detectors/pay-after-drop.js";
import { createPollingTooFastDetector } from "./detectors/polling-too-fast.js";
import { createRefundBeyondPaidDetector } from "./detectors/refund-beyond-paid.js";
import { createRetryAtOnceDetector } from "./detectors/retry-at-once.js";
import { createSecretLeakedDetector } from "./detectors/secret-leaked.js";
import { createWebhookSlowDetector } from "./detectors/webhook-slow.js";
import { createWebhookUnacknowledgedDetector } from "./detectors/webhook-unacknowledged.js";
import { type FindingKind, findingKinds } from "./finding.js";

const creators: Readonly<Record<FindingKind, () => Detector>> = {
  "double-payout": createDoublePayoutDetector,
  "refund-beyond-paid": createRefundBeyondPaidDetector,
  "pay-after-drop": createPayAfterDropDetector,
  "secret-leaked": createSecretLeakedDetector,
  "webhook-unacknowledged": createWebhookUnacknowledgedDetector,
  "webhook-slow": createWebhookSlowDetector,
  "retry-at-once": createRetryAtOnceDetector,
  "polling-too-fast": createPollingTooFastDetector,
};

/** One for each kind, none of which has seen anything yet. */
export function createDetectors(): readonly (readonly [FindingKind, Detector])[] {
  return findingKinds.map((kind) => [kind, creators[kind]()]);
}
