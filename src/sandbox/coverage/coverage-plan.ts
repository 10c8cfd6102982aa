import { errorsUnder, operationIds, operations, successStatus } from "../../contract/operations.js";
import { statusOfProblem } from "../../contract/problems.js";
import { chargeLifecycle } from "../../domain/model/charge.js";
import { deliveryLifecycle } from "../../domain/model/delivery.js";
import type { ProblemCode } from "../../domain/model/problem-codes.js";
import type { Profile } from "../../domain/profile/profile.js";
import { topics } from "../../domain/values/topic.js";
import { numberBehaviours } from "../../domain/accounts/test-numbers.js";
import { SHORT_OF_MONEY, batchLifecycle, transferLifecycle } from "../../domain/model/transfer.js";
import { listTransitions } from "../../kernel/records/lifecycle.js";
import type {
  CauseCoverage,
  Counted,
  OperationCoverage,
  TopicCoverage,
  TransitionCoverage,
} from "./coverage-report.js";

type Planned<Item> = Omit<Item, keyof Counted>;

/** Everything that a client can cover under a profile. */
export interface CoveragePlan {
  readonly operations: readonly Planned<OperationCoverage>[];
  readonly transitions: readonly Planned<TransitionCoverage>[];
  readonly causes: readonly Planned<CauseCoverage>[];
  readonly topics: readonly Omit<Planned<TopicCoverage>, "delivered">[];
}

/** The plan that coverage is measured against. Each list is read from the table that the sandbox itself uses. */
export function planCoverage(profile: Profile): CoveragePlan {
  return {
    operations: planOperations(profile),
    transitions: planTransitions(profile),
    causes: [...planProblems(profile), ...planFailures(profile)],
    topics: topics
      .filter((topic) => topic !== "charges/events" || profile.webhooks.chargeEvents.length > 0)
      .map((topic) => ({ topic })),
  };
}

/** The success of each operation, and the errors with a cause in this operation. Errors that all operations have are only in `causes`. */
function planOperations(profile: Profile): CoveragePlan["operations"] {
  const present = operationIds.filter((id) => id !== "payCharge" || profile.charges.payEndpoint === "present");
  return present.flatMap((operation) => {
    const { method, path } = operations[operation];
    const means = new Map<number, string>([[successStatus(operations[operation], profile), "Success."]]);
    for (const { status, cause } of errorsUnder(operation, profile)) {
      if (cause !== undefined) means.set(status, means.has(status) ? `${means.get(status)} ${cause}` : cause);
    }
    return [...means].map(([status, text]) => ({ operation, method, path, status, means: text }));
  });
}

function planTransitions(profile: Profile): CoveragePlan["transitions"] {
  const edges = [
    ...listTransitions(chargeLifecycle).map((edge) => ({ resource: "charge", ...edge }) as const),
    ...listTransitions(transferLifecycle).map((edge) => ({ resource: "transaction", ...edge }) as const),
    ...listTransitions(batchLifecycle).map((edge) => ({ resource: "batch", ...edge }) as const),
    ...listTransitions(deliveryLifecycle).map((edge) => ({ resource: "delivery", ...edge }) as const),
  ];
  return edges.filter((edge) => canBeMet(edge, profile));
}

function canBeMet({ resource, from, action, to }: Planned<TransitionCoverage>, profile: Profile): boolean {
  const { charges, refunds, webhooks } = profile;
  switch (`${resource} ${action}`) {
    case "charge decline":
      return to === (charges.failedAttempt === "drop" ? "dropped" : "due");
    case "charge refund":
      return from !== "refunded_partially" || refunds.further === "allowed";
    case "delivery retry":
      return webhooks.retry.length > 0;
    // These are actions of the sandbox's user, not of the client.
    case "delivery redeliver":
    case "delivery drop":
      return false;
    default:
      return true;
  }
}

/** Under which profiles a correct client can cause a problem. `never`: only a broken client can. */
const attainable: Readonly<Record<ProblemCode, "always" | "never" | ((profile: Profile) => boolean)>> = {
  malformed_json: "never",
  invalid_request: "always",
  company_header_missing: ({ auth }) => auth.companyHeader !== "ignored",
  refund_exceeds_paid: "always",
  refund_exceeds_left: ({ refunds }) => refunds.aboveLeft === 422 && refunds.further === "allowed",
  token_invalid: "always",
  company_mismatch: ({ auth }) => auth.companyHeader !== "ignored",
  route_not_found: "never",
  charge_not_found: "always",
  transaction_not_found: "always",
  subscription_not_found: "always",
  method_not_allowed: "never",
  external_id_taken: "always",
  reference_taken: ({ transfers }) => transfers.duplicateReference === "conflict",
  subscription_exists: ({ webhooks }) => webhooks.duplicateSubscription === "conflict",
  charge_not_payable_conflict: ({ charges }) => charges.payEndpoint === "present" && charges.payNotDue === 409,
  body_too_large: "never",
  media_type_unsupported: "never",
  charge_not_payable: ({ charges }) => charges.payEndpoint === "present" && charges.payNotDue === 422,
  charge_not_refundable: "always",
  insufficient_balance: ({ transfers, refunds }) =>
    transfers.insufficientBalance === "reject" || refunds.insufficientBalance === "reject",
  recipient_refused: "always",
  payer_refused: ({ charges }) => charges.payEndpoint === "present",
  rate_limited: ({ rateLimit }) => rateLimit !== null,
  internal: "never",
};

function planProblems(profile: Profile): CoveragePlan["causes"] {
  const codes = Object.keys(statusOfProblem) as ProblemCode[];
  const possible = codes.filter((code) => {
    const when = attainable[code];
    return typeof when === "function" ? when(profile) : when === "always";
  });
  return possible.map((cause) => ({ of: "request", cause, status: statusOfProblem[cause] }));
}

const behaviours = Object.values(numberBehaviours);
const ofTransfers: ReadonlySet<string> = new Set(
  behaviours.flatMap(({ transfer }) =>
    transfer !== "refused" && transfer.outcome === "failed" ? [transfer.reason] : [],
  ),
);
const ofPayments: ReadonlySet<string> = new Set(
  behaviours.flatMap(({ payment }) => (payment !== "refused" && payment.outcome === "failed" ? [payment.error] : [])),
);

/** Whether some plan has the cause. Users may give any other text as a cause. */
export function isPlannedFailure(of: "transfer" | "payment", cause: string): boolean {
  return of === "payment" ? ofPayments.has(cause) : ofTransfers.has(cause) || cause === SHORT_OF_MONEY;
}

/** The failures of the test numbers, and of an account without enough money. */
function planFailures({ transfers }: Profile): CoveragePlan["causes"] {
  const runsShort = transfers.insufficientBalance === "fail" || transfers.debit === "on-completion";
  const causes = runsShort ? [...ofTransfers, SHORT_OF_MONEY] : [...ofTransfers];
  return [
    ...causes.map((cause) => ({ of: "transfer", cause, status: null }) as const),
    ...[...ofPayments].map((cause) => ({ of: "payment", cause, status: null }) as const),
  ];
}
