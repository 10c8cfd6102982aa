import type { Row } from "../../kernel/table.js";
import type { PaymentOutcome } from "../test-numbers.js";

/** A payment that was asked for and whose result comes later: "pay answers `due`, the result comes later and may lose against the drop". */
export interface PendingPayment extends Row {
  /** A UUID; of the entry that it becomes, too. */
  readonly id: string;
  readonly chargeId: string;
  /** As it was given. */
  readonly msisdn: string;
  readonly plan: PaymentOutcome;
}
