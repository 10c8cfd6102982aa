import { expireWhenDue } from "../../domain/charges/drop-charge.js";
import { settlePayment } from "../../domain/charges/pay-charge.js";
import { settleTransfer } from "../../domain/transfers/settle-transfer.js";
import type { DueKind, Work } from "../../domain/model/work.js";

/** What happens when the time of each kind of due work has come. An attempt changes nothing by itself: the dispatcher makes it. */
export const dueHandlers: Readonly<Record<DueKind, (work: Work, subject: string) => void>> = {
  "charge.expire": expireWhenDue,
  "transfer.settle": settleTransfer,
  "payment.settle": settlePayment,
  "delivery.attempt": () => undefined,
};
