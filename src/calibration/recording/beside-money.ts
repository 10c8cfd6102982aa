import type { OperationId } from "../../contract/operations.js";
import type { Instant } from "../../kernel/time/instant.js";
import type { ReadEntry } from "./read-entry.js";
import { plain, transfersIn } from "./resources.js";
import { endOf, readTimestamp } from "./timestamps.js";

const MOVES_MONEY: ReadonlySet<OperationId | undefined> = new Set<OperationId>([
  "createTransaction",
  "createBatch",
  "payCharge",
  "refundCharge",
]);

/** Marks the reads of the balance that overlap a request that moves money, or the end of a transfer. */
export function markBesideMoney(read: readonly ReadEntry[]): ReadEntry[] {
  const requests = read.filter(({ entry }) => entry.kind === "request" && MOVES_MONEY.has(entry.operation));
  const moves = [...requests.map(spanOf), ...endsOfTransfers(read)];
  return read.map((each) => {
    const { entry } = each;
    if (entry.kind !== "request" || entry.operation !== "getBalance") return each;
    const span = spanOf(each);
    return moves.some((move) => overlap(move, span)) ? { ...each, entry: { ...entry, isBesideMoney: true } } : each;
  });
}

/** A span of time on the recorder's clock. */
interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

function spanOf({ entry, ms }: ReadEntry): Span {
  return { from: entry.at, to: entry.at + ms };
}

function overlap(a: Span, b: Span): boolean {
  return a.from < b.to && b.from < a.to;
}

/** When transfers ended: the time of the request that made one, plus as long as the service says that it took. A failed transfer gives its money back then. */
function endsOfTransfers(read: readonly ReadEntry[]): Span[] {
  const made = new Map<string, Span>();
  const ends = new Map<string, Span>();
  for (const each of read) {
    const { entry } = each;
    const shown = entry.kind === "webhook" ? entry.body["data"] : entry.answer?.body;
    for (const { id, status, createdAt, updatedAt } of transfersIn(shown)) {
      if (typeof id !== "string") continue;
      const name = plain(id);
      if (entry.kind === "request" && MOVES_MONEY.has(entry.operation)) made.set(name, spanOf(each));
      const [created, updated] = [readTimestamp(createdAt), readTimestamp(updatedAt)];
      const span = made.get(name);
      if (status === "pending" || created === undefined || updated === undefined || span === undefined) continue;
      const [least, most] = [updated.at - endOf(created.at), endOf(updated.at) - created.at];
      ends.set(name, { from: span.from + least, to: span.to + most });
    }
  }
  return [...ends.values()];
}
