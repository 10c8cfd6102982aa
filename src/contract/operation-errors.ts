import type { Profile } from "../domain/profile/profile.js";
import { type OperationError, type OperationId, operationOf } from "./operations.js";
import type { ErrorStatus } from "./problems.js";

/** One way in which an operation refuses under a profile. */
export interface ErrorRow {
  readonly status: ErrorStatus;
  /** Undefined: what the status always means, whatever the operation. */
  readonly cause?: string;
  /** Whether the contract's table says so, or only the sandbox. */
  readonly source?: OperationError["source"];
}

/**
 * The errors of an operation under this profile: the rows of the contract's table and the sandbox's own (operations.ts), without those
 * that the profile takes away, and with those that it adds.
 */
export function errorsUnder(id: OperationId, profile: Profile): readonly ErrorRow[] {
  const operation = operationOf(id);
  return [
    ...(headerIsRequired(id, profile) ? [{ status: 400, cause: "X-Company-Id missing." } as const] : []),
    ...operation.errors.flatMap((row) => replaced(id, row.status, profile) ?? [row]),
    ...(added[id]?.(profile) ?? []),
    ...(operation.body === "none" ? [] : ([{ status: 413 }, { status: 415 }] as const)),
    ...(profile.rateLimit === null ? [] : ([{ status: 429 }] as const)),
    { status: 500 },
  ];
}

/** Whether X-Company-Id has to be there: "Whether other endpoints need it: not shown." */
export function headerIsRequired(id: OperationId, { auth }: Profile): boolean {
  return auth.companyHeader === "everywhere" || (auth.companyHeader === "charges" && operationOf(id).companyHeader);
}

/** What a profile makes of a row of the table; undefined: it stays as it is. */
function replaced(id: OperationId, status: ErrorStatus, profile: Profile): readonly ErrorRow[] | undefined {
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

const added: { readonly [Id in OperationId]?: (profile: Profile) => readonly ErrorRow[] } = {
  refundCharge: ({ refunds }) =>
    refunds.insufficientBalance === "reject" ? [{ status: 422, cause: "The balance does not cover the refund." }] : [],
  createWebhook: ({ webhooks }) =>
    webhooks.duplicateSubscription === "conflict"
      ? [{ status: 409, cause: "The URL is subscribed to the topic already." }]
      : [],
};
