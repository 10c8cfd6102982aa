import type { OperationId } from "../../contract/operations.js";
import { isObject, memberOf } from "../../kernel/messages/json.js";
import type { FoundId } from "./recorded.js";

const NAMES: Partial<Record<OperationId, string>> = {
  createCharge: "charge",
  createTransaction: "transaction",
  createBatch: "batch",
  createWebhook: "webhook",
  listWebhooks: "list",
};

/** The identifiers in an answer of the API. */
export function idsIn(operation: OperationId | undefined, answer: unknown): readonly FoundId[] {
  const base = operation === undefined ? undefined : NAMES[operation];
  if (base === undefined || !isObject(answer)) return [];
  const { id, transactions, cursor } = answer;
  const entries: readonly unknown[] = base === "batch" && Array.isArray(transactions) ? transactions : [];
  return [
    ...found(id, base, "id"),
    ...entries.flatMap((entry, index) => found(memberOf(entry, "id"), "transaction", `transactions[${index}].id`)),
    ...Object.entries(isObject(cursor) ? cursor : {}).flatMap(([key, value]) =>
      found(value, `cursor_${key}`, `cursor.${key}`),
    ),
  ];
}

/** The identifiers of the rows of a list of the control API. */
export function idsInList(rows: readonly unknown[], base: string): readonly FoundId[] {
  return rows.flatMap((row, index) => found(memberOf(row, "id"), base, `data[${index}].id`));
}

/** The identifiers in an event that was made on demand: the id of the resource that was made for it, and the resource's name. */
export function idsInEvent(answer: unknown): readonly FoundId[] {
  const { resource, data } = isObject(answer) ? answer : {};
  if (!isObject(data)) return [];
  return "externalId" in data
    ? [...found(resource, "charge", "resource"), ...found(data["externalId"], "externalId", "data.externalId")]
    : [...found(resource, "transaction", "resource"), ...found(data["reference"], "reference", "data.reference")];
}

function found(text: unknown, base: string, path: string): readonly FoundId[] {
  return typeof text === "string" && text !== "" ? [{ text, base, path }] : [];
}
