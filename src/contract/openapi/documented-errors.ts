import type { SettingPath } from "../fields.js";
import type { Profile } from "../../domain/profile/profile.js";
import { type ErrorRow, errorsUnder, headerIsRequired } from "../operation-errors.js";
import type { OperationId } from "../operations.js";
import type { ErrorStatus } from "../problems.js";

/** One status with which an operation refuses, and everything it may mean. */
export interface DocumentedError {
  readonly status: ErrorStatus;
  /** None: what the status always means. */
  readonly causes: readonly string[];
  readonly settings: readonly SettingPath[];
}

/** The errors of an operation under this profile, by status. */
export function documentedErrors(id: OperationId, profile: Profile): readonly DocumentedError[] {
  const rows = errorsUnder(id, profile);
  const statuses = [...new Set(rows.map(({ status }) => status))].sort((a, b) => a - b);
  return statuses.map((status) => ({
    status,
    causes: rows.flatMap((row) => (row.status === status && row.cause !== undefined ? [withSource(row)] : [])),
    settings: settingsOf(id, status, profile),
  }));
}

function withSource({ cause, source }: ErrorRow): string {
  return `${cause}${source === "sandbox" ? " (The contract shows no such error here.)" : ""}`;
}

function settingsOf(id: OperationId, status: ErrorStatus, profile: Profile): SettingPath[] {
  const isOfHeader = status === 403 || (status === 400 && headerIsRequired(id, profile));
  return [...(isOfHeader ? (["auth.companyHeader"] as const) : []), ...(settingsOfStatus[id]?.[status] ?? [])];
}

/** Which settings decide whether an operation answers a status, where not every operation has the same ones. */
const settingsOfStatus: {
  readonly [Id in OperationId]?: { readonly [Status in ErrorStatus]?: readonly SettingPath[] };
} = {
  createTransaction: {
    400: ["transfers.min", "transfers.max"],
    409: ["transfers.duplicateReference"],
    422: ["transfers.insufficientBalance", "testNumbers.refused"],
  },
  createBatch: {
    400: ["batch.maxItems", "batch.itemType", "transfers.min", "transfers.max"],
    409: ["transfers.duplicateReference"],
    422: ["transfers.insufficientBalance", "testNumbers.refused"],
  },
  checkCustomer: { 400: ["customers.subCompanyId"] },
  createCharge: { 400: ["charges.min", "charges.max"] },
  payCharge: { 409: ["charges.payNotDue"], 422: ["charges.payNotDue", "testNumbers.refused"] },
  refundCharge: { 422: ["refunds.further", "refunds.insufficientBalance"] },
  createWebhook: { 400: ["webhooks.allow"], 409: ["webhooks.duplicateSubscription"] },
};
