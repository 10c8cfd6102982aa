import { toXof } from "../accounts/money.js";
import { useRule } from "../rules/use-rule.js";
import { behaviourOf, type TransferOutcome } from "../test-numbers.js";
import type { Work } from "../work.js";
import type { TransferOrder } from "./transfer.js";

/** How a transfer is going to end, were there money for it. */
export interface TransferPlan {
  readonly outcome: TransferOutcome | "refused";
  /** Added to the ordinary time of settlement, ms. */
  readonly lateMs: number;
  /** Settled after that time, whatever `transfers.settlement` says; null: as that says. */
  readonly afterMs: number | null;
  readonly silent: boolean;
}

const DEFAULT_REASON = "recipient_unreachable";

/** As a rule has it, else the number. */
export function planTransfer(work: Work, order: TransferOrder): TransferPlan {
  const { transfer, lateMs, silent } = behaviourOf(work.profile, order.msisdn);
  const rule = useRule(work, "transfer", () => ({
    msisdn: order.msisdn,
    amount: toXof(order.amount),
    reference: order.reference,
  }));
  if (rule === undefined) return { outcome: transfer, lateMs, afterMs: null, silent };
  const { outcome, reason, afterMs } = rule.then;
  return {
    // A time of its end is an end, also for a number that has none.
    outcome: outcomeOf(
      outcome ?? (afterMs !== undefined && isPending(transfer) ? "completed" : undefined),
      reason,
      transfer,
    ),
    lateMs: afterMs === undefined ? lateMs : 0,
    afterMs: afterMs ?? null,
    silent,
  };
}

function isPending(ordinary: TransferOutcome | "refused"): boolean {
  return ordinary !== "refused" && ordinary.outcome === "pending";
}

function outcomeOf(
  outcome: "completed" | "failed" | "pending" | undefined,
  reason: string | undefined,
  ordinary: TransferOutcome | "refused",
): TransferOutcome | "refused" {
  if (outcome === undefined) return ordinary;
  return outcome === "failed" ? { outcome, reason: reason ?? DEFAULT_REASON } : { outcome };
}
