import type { Profile } from "../../domain/profile/profile.js";
import type { SettingPath } from "../field-note.js";
import { type OperationId, operationOf } from "../operations.js";
import type { ErrorStatus } from "../problems.js";

/** One status with which an operation refuses, and everything it may mean. */
export interface DocumentedError {
  readonly status: ErrorStatus;
  /** None: what the status always means. */
  readonly causes: readonly string[];
  readonly settings: readonly SettingPath[];
}

/**
 * The errors of an operation under this profile: the rows of the contract's table and the sandbox's own (operations.ts), without those
 * that the profile takes away, and with those that it adds. By status.
 */
export function documentedErrors(id: OperationId, profile: Profile): readonly DocumentedError[] {
  const operation = operationOf(id);
  const rows: readonly Row[] = [
    ...(headerIsRequired(id, profile) ? [{ status: 400, cause: "X-Company-Id missing." } as const] : []),
    ...operation.errors.flatMap(({ status, cause, source }) => {
      const silence = source === "contract" ? "" : " (The contract shows no such error here.)";
      return replaced(id, status, profile) ?? [{ status, cause: `${cause}${silence}` }];
    }),
    ...(added[id]?.(profile) ?? []),
    ...(operation.body === "none" ? [] : ([{ status: 413 }, { status: 415 }] as const)),
    ...(profile.rateLimit === null ? [] : ([{ status: 429 }] as const)),
    { status: 500 },
  ];
  const statuses = [...new Set(rows.map(({ status }) => status))].sort((a, b) => a - b);
  return statuses.map((status) => ({
    status,
    causes: rows.flatMap((row) => (row.status === status && row.cause !== undefined ? [row.cause] : [])),
    settings: settingsOf(id, status, profile),
  }));
}

/** Whether X-Company-Id has to be there: "Whether other endpoints need it: not shown." */
export function headerIsRequired(id: OperationId, { auth }: Profile): boolean {
  return auth.companyHeader === "everywhere" || (auth.companyHeader === "charges" && operationOf(id).companyHeader);
}

interface Row {
  readonly status: ErrorStatus;
  readonly cause?: string;
}

/** What a profile makes of a row of the table; undefined: it stays as it is. */
function replaced(id: OperationId, status: ErrorStatus, profile: Profile): readonly Row[] | undefined {
  if (status === 403 && profile.auth.companyHeader === "ignored") return [];
  const isTransfer = id === "createTransaction" || id === "createBatch";
  if (status === 409 && isTransfer && profile.transfers.duplicateReference === "allow") return [];
  if (id === "payCharge" && status === 422 && profile.charges.payNotDue === 409) {
    return [
      { status: 409, cause: "The charge is not due." },
      { status: 422, cause: "The payer does not accept payment requests." },
    ];
  }
  return undefined;
}

const added: { readonly [Id in OperationId]?: (profile: Profile) => readonly Row[] } = {
  refundCharge: ({ refunds }) =>
    refunds.insufficientBalance === "reject" ? [{ status: 422, cause: "The balance does not cover the refund." }] : [],
  createWebhook: ({ webhooks }) =>
    webhooks.duplicateSubscription === "conflict"
      ? [{ status: 409, cause: "The URL is subscribed to the topic already." }]
      : [],
};

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
