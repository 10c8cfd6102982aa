import type { OperationId } from "../../contract/operations.js";
import type { Entry, RecordedRequest } from "./entry.js";

/** A second time they are refused, so that a success shows that the first one was not done. */
const ONCE_ONLY: ReadonlySet<OperationId | undefined> = new Set<OperationId>([
  "createCharge",
  "createTransaction",
  "createBatch",
  "payCharge",
]);

/** Requests that got no answer, or a 5xx, and that succeeded when they were sent again. */
export function findUndone(entries: readonly Entry[]): ReadonlySet<RecordedRequest> {
  const undone = new Set<RecordedRequest>();
  const succeeded = new Set<string>();
  for (const entry of entries.toReversed()) {
    if (entry.kind === "webhook" || !ONCE_ONLY.has(entry.operation)) continue;
    const name = `${entry.path} ${entry.body ?? ""}`;
    const { status = 500 } = entry.answer ?? {};
    if (status < 300) succeeded.add(name);
    else if (status >= 500 && succeeded.has(name)) undone.add(entry);
  }
  return undone;
}
