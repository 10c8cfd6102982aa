import type { Charge } from "../../domain/model/charge.js";
import type { Attempt, Delivery } from "../../domain/model/delivery.js";
import type { Rule } from "../../domain/model/rule.js";
import { findTopic, type Topic } from "../../domain/values/topic.js";
import type { Transfer } from "../../domain/model/transfer.js";
import type { World } from "../../domain/model/work.js";
import type { Row, RowStore } from "../../kernel/table.js";
import type { Change } from "../../kernel/unit-of-work.js";

export interface ChangeReader {
  readonly onFailure: (of: "transfer" | "payment", cause: string) => void;
  readonly onAttempt: (topic: Topic, attempt: Attempt) => void;
  readonly onRule: (before: Rule | undefined, after: Rule | undefined) => void;
}

/** What a commit says of the outcome of transfers, payments and deliveries, and of rules. */
export function readChanges(world: World, changes: readonly Change[], reader: ChangeReader): void {
  for (const change of changes) {
    if (isOf(world.transfers, change)) readTransfer(change, reader);
    else if (isOf(world.charges, change)) readCharge(change, reader);
    else if (isOf(world.deliveries, change)) readDelivery(change, reader);
    else if (isOf(world.rules, change)) reader.onRule(change.before, change.after);
  }
}

/** A change's rows are those of the store that it was made in: the unit of work writes it so. */
export function isOf<T extends Row>(store: RowStore<T>, change: Change): change is Change<T> {
  return change.store === store;
}

function readTransfer({ before, after }: Change<Transfer>, { onFailure }: ChangeReader): void {
  if (before?.status === "pending" && after?.status === "failed") onFailure("transfer", after.failureReason ?? "");
}

/** The newest entry stands first. */
function readCharge({ before, after }: Change<Charge>, { onFailure }: ChangeReader): void {
  const entry = after?.entries[0];
  if (before === undefined || entry === undefined || entry.id === before.entries[0]?.id) return;
  if (entry.error !== null) onFailure("payment", entry.error);
}

function readDelivery({ before, after }: Change<Delivery>, { onAttempt }: ChangeReader): void {
  const attempt = after?.attempts.at(-1);
  if (after === undefined || attempt === undefined || after.attempts.length === (before?.attempts.length ?? 0)) return;
  const topic = findTopic(after.topic);
  if (topic !== undefined) onAttempt(topic, attempt);
}
