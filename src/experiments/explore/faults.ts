import { REAL_DELAY_MAX_MS } from "../../sandbox/state/rule-schema.js";
import { formatDuration } from "../../kernel/time/duration.js";
import { type OperationId, operations } from "../../contract/operations.js";
import type { RuleText } from "../run/experiment.js";
import type { Seen, SeenDelivery, SeenOutcome, SeenRequest } from "../run/observe.js";

export const faultNames = [
  "answer-lost",
  "500-after",
  "answer-cut",
  "slow",
  "twice",
  "twice-late",
  "ack-lost",
  "before-answer",
  "after-next",
  "never",
  "forged-first",
  "body-cut",
  "request-lost",
  "500-before",
  "503",
  "429",
  "stale",
  "outcome-failed",
  "outcome-pending",
  "outcome-late",
] as const;
export type FaultName = (typeof faultNames)[number];

/** A place in the traffic where something can go wrong. */
export interface Point {
  /** `createTransaction#2`, `charges/events#1` */
  readonly name: string;
  readonly operation?: OperationId;
  readonly topic?: string;
  readonly ordinal: number;
  /** For people: a reference, an externalId or a msisdn. */
  readonly about: string;
}

/** One fault at one point, with the rule that makes it. */
export interface PlannedFault {
  readonly point: Point;
  readonly fault: FaultName;
  readonly rule: RuleText;
  /** Which payout or payment it changes, where the run shows that. */
  readonly outcome?: Pick<SeenOutcome, "kind" | "ordinal" | "request">;
  /** Whether a missing effect is no bug, because the command learns no outcome even without the fault. */
  readonly toleratesMissing: boolean;
  /** Whether it does the same as another fault: the same one at an earlier read with the same answer, or a copy that comes at once. */
  readonly isEquivalent: boolean;
}

/** Everything that can go wrong in what was seen. `slowMs` is how long the service keeps a client waiting if it does not give up. */
export function faultsOf({ requests, deliveries, outcomes }: Seen, slowMs: number): PlannedFault[] {
  // The same names occur again after a reset.
  const byName = new Map(requests.toReversed().map((request) => [request.name, request]));
  return [
    ...requests.flatMap((request) => (request.ordinal === 0 ? [] : faultsOfRequest(request, slowMs))),
    ...outcomes.flatMap((outcome) => faultsOfOutcome(outcome, byName.get(outcome.request))),
    ...deliveries.flatMap(faultsOfDelivery),
  ];
}

type Effects = Partial<Record<FaultName, RuleText>>;

const RETRY_AFTER = { "retry-after": "1" };

const readFaults: Effects = {
  "request-lost": { fault: "reset" },
  "500-before": { status: 500 },
  "429": { status: 429, headers: RETRY_AFTER },
};

function changeFaults(slowMs: number): Effects {
  return {
    ...readFaults,
    "answer-lost": { fault: "reset", commit: true },
    "500-after": { status: 500, commit: true },
    "answer-cut": { fault: "malformed", commit: true },
    slow: { fault: "hang", commit: true, delay: formatDuration(Math.min(slowMs, REAL_DELAY_MAX_MS)) },
    "503": { status: 503 },
  };
}

function faultsOfRequest(request: SeenRequest, slowMs: number): PlannedFault[] {
  const { operation, ordinal, name, about, showsFinalTransfer } = request;
  const { method, path } = operations[operation];
  const stale: Effects = showsFinalTransfer ? { stale: { stale: true } } : {};
  const effects = method === "GET" ? { ...readFaults, ...stale } : changeFaults(slowMs);
  const match = { method, path, nth: ordinal };
  const planned = plan({ name, operation, ordinal, about }, effects, (then) => ({
    on: "request",
    match,
    then,
    times: 1,
  }));
  return planned.map((fault) => ({ ...fault, isEquivalent: request.repeats }));
}

const transferOutcomes: Effects = {
  "outcome-failed": { outcome: "failed" },
  "outcome-pending": { outcome: "pending" },
  "outcome-late": { after: "10m" },
};

const paymentOutcomes: Effects = {
  "outcome-failed": { outcome: "failed" },
  // The charge is dropped before then.
  "outcome-pending": { after: "2h" },
  "outcome-late": { after: "10m" },
};

/** The point of an outcome is the request that began it. */
function faultsOfOutcome(outcome: SeenOutcome, request: SeenRequest | undefined): PlannedFault[] {
  const { kind, ordinal, about, learned, failed } = outcome;
  if (request === undefined) return [];
  const point = { name: request.name, operation: request.operation, ordinal: request.ordinal, about };
  const effects = kind === "transfer" ? transferOutcomes : paymentOutcomes;
  const planned = plan(point, effects, (then) => ({ on: kind, match: { nth: ordinal }, then, times: 1 }));
  // Payments are numbered by their final events, so one that ends later has another ordinal and cannot be recognized.
  const isShown = ({ fault }: PlannedFault) => kind === "transfer" || fault === "outcome-failed";
  // A pending transfer counts as moved: the program would be blamed for what the fault does.
  const judged = planned.filter(({ fault }) => !failed || fault !== "outcome-pending");
  return judged.map((fault) => ({ ...fault, ...(isShown(fault) ? { outcome } : {}), toleratesMissing: !learned }));
}

function faultsOfDelivery({ name, topic, ordinal, about, answersRequest, hasNext, later }: SeenDelivery) {
  const effects: Effects = {
    never: { drop: true },
    twice: { duplicate: 1 },
    "twice-late": { duplicate: 1, hold: Math.max(1, later) },
    ...(answersRequest ? { "before-answer": { before: "response" } } : {}),
    ...(hasNext ? { "after-next": { hold: "next" } } : {}),
    "forged-first": { duplicate: 1, corruptSignature: "first" },
    "body-cut": { truncate: 40, attempts: 1 },
    "ack-lost": { loseAnswers: 1 },
  };
  const match = { topic, nth: ordinal };
  const planned = plan({ name, topic, ordinal, about }, effects, (then) => ({ on: "delivery", match, then, times: 1 }));
  // Nothing comes after the last webhook, so a late copy of it is the same as a copy.
  return planned.map((fault) => ({ ...fault, isEquivalent: fault.fault === "twice-late" && later === 0 }));
}

function plan(point: Point, effects: Effects, ruleOf: (then: RuleText) => RuleText): PlannedFault[] {
  return faultNames.flatMap((fault) => {
    const then = effects[fault];
    if (then === undefined) return [];
    const rule = { name: `${fault} at ${point.name}`, ...ruleOf(then) };
    return { point, fault, rule, toleratesMissing: false, isEquivalent: false };
  });
}
