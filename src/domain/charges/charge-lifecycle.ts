import { type Lifecycle, nextStatus } from "../../kernel/lifecycle.js";
import type { Charge, ChargeStatus } from "./charge.js";

export type ChargeAction = "pay" | "decline" | "cancel" | "expire" | "drop" | "refund";

/** The contract's table of states and transitions, "Charge". */
export const chargeLifecycle = {
  due: { pay: ["paid"], decline: ["due", "dropped"], cancel: ["due"], expire: ["dropped"], drop: ["dropped"] },
  paid: { refund: ["refunded", "refunded_partially"] },
  refunded_partially: { refund: ["refunded", "refunded_partially"] },
  refunded: {},
  dropped: {},
} as const satisfies Lifecycle<ChargeStatus, ChargeAction>;

type ChargeChange = Partial<Omit<Charge, "id" | "seq" | "status" | "createdAt">>;

/** The only writer of a charge's status. `outcome` where the table declares more than one. */
export function moveCharge(charge: Charge, action: ChargeAction, change: ChargeChange, outcome?: ChargeStatus): Charge {
  const status = nextStatus<ChargeStatus, ChargeAction>(chargeLifecycle, "charge", charge.status, action, outcome);
  return { ...charge, ...change, status };
}
