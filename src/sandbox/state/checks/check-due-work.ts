import { type DueKind, dueId } from "../../../domain/model/work.js";
import { toIso } from "../../../kernel/time/instant.js";
import { quote } from "../../../kernel/messages/text.js";
import { type Records, eachOf } from "./records.js";

/** Checks that every record that waits has its due work, and that there is no other due work. */
export function checkDueWork(records: Records): string[] {
  const problems: string[] = [];
  const { now, due, charges, transactions, payments, deliveries, holds } = records;
  const dueAt = new Map(due.map((item) => [item.id, item.dueAt]));
  const timeOf = (kind: DueKind, subject: string) => dueAt.get(dueId(kind, subject));
  const lacks = (kind: DueKind, why: string): string => `lacks its ${kind} in due: ${why}`;
  const held = new Set(holds.flatMap(({ deliveryIds }) => deliveryIds));
  const waiting: Record<DueKind, Set<string>> = {
    "charge.expire": new Set(),
    "transfer.settle": new Set(),
    "payment.settle": new Set(),
    "delivery.attempt": new Set(),
  };

  eachOf(problems, "charges", charges, ({ id, status, expiresAt }, complain) => {
    if (status !== "due") return;
    waiting["charge.expire"].add(id);
    if (timeOf("charge.expire", id) !== expiresAt)
      complain("status", lacks("charge.expire", `a charge that is due ends at its expiresAt, ${toIso(expiresAt)}`));
  });
  eachOf(problems, "transactions", transactions, ({ id, status, plan, settleAfterMs }, complain) => {
    if (status !== "pending" || plan.outcome === "pending") return;
    waiting["transfer.settle"].add(id);
    if (settleAfterMs !== null && timeOf("transfer.settle", id) === undefined)
      complain("settleAfterMs", lacks("transfer.settle", "it is pending, and has a time of settlement"));
  });
  eachOf(problems, "payments", payments, ({ id }, complain) => {
    waiting["payment.settle"].add(id);
    if (timeOf("payment.settle", id) === undefined)
      complain("id", lacks("payment.settle", "a payment here waits for its result"));
  });
  eachOf(problems, "deliveries", deliveries, ({ id, status, nextAttemptAt }, complain) => {
    const attempt = timeOf("delivery.attempt", id);
    const isHeld = held.has(id);
    if (status === "pending" && !isHeld) waiting["delivery.attempt"].add(id);
    if (isHeld && status !== "pending") complain("status", "must be pending: it is in holds");
    const isPlanned = status === "pending" && !isHeld;
    if ((nextAttemptAt !== null) !== isPlanned)
      complain("nextAttemptAt", isPlanned ? "must be a time: it is pending" : "must be null: no attempt is planned");
    if (nextAttemptAt === null || !isPlanned) return;
    // A delivery without a timer had its attempt in flight. That attempt is made again.
    if (attempt === undefined && nextAttemptAt > now)
      complain("nextAttemptAt", lacks("delivery.attempt", "that time is to come"));
    if (attempt !== undefined && attempt !== nextAttemptAt)
      complain("nextAttemptAt", `must be ${toIso(attempt)}, as in due`);
  });
  eachOf(problems, "due", due, ({ kind, subject }, complain) => {
    if (!waiting[kind].has(subject)) complain("subject", `must be what ${kind} is about, got ${quote(subject)}`);
  });
  return problems;
}
