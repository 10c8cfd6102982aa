import type { Profile } from "../domain/profile/profile.js";
import type { ErrorStatus } from "./problems.js";

/** The contract's endpoints and their errors. Routes, the API description and coverage are made from this one table. */
export interface Operation {
  readonly method: "GET" | "POST" | "DELETE";
  /** With `:id` for identifiers. */
  readonly path: string;
  readonly tag: "Transactions" | "Customers" | "Balance" | "Charges" | "Webhooks";
  readonly summary: string;
  /** The setting that chooses the status of success, or the status itself where the contract shows it. */
  readonly success: "http.createdStatus" | "http.actionStatus" | 200 | 204;
  /** Whether X-Company-Id is required under `auth.companyHeader: charges`. */
  readonly companyHeader: boolean;
  readonly body: "required" | "optional" | "none";
  readonly errors: readonly Required<ErrorRow>[];
}

export interface ErrorRow {
  readonly status: ErrorStatus;
  /** Undefined when the status means the same as for every operation. */
  readonly cause?: string;
  /** Whether the contract's table has the row, or the sandbox adds it where the contract is silent. */
  readonly source?: "contract" | "sandbox";
}

const errorFrom = (source: "contract" | "sandbox") => (status: ErrorStatus, cause: string) => ({
  status,
  cause,
  source,
});
const contract = errorFrom("contract");
const ours = errorFrom("sandbox");
const chargeNotFound = contract(404, "Charge not found.");

/** Adds the errors of every operation, and the values that most operations share. */
function operation(given: Omit<Operation, "success" | "companyHeader" | "body"> & Partial<Operation>): Operation {
  const errors = [
    ...given.errors,
    (given.tag === "Charges" ? contract : ours)(401, "Access token missing or invalid."),
    ours(403, "X-Company-Id names another company than the token's."),
  ].sort((a, b) => a.status - b.status);
  return { success: 200, companyHeader: false, body: "none", ...given, errors };
}

const creation = { method: "POST", success: "http.createdStatus", body: "required" } as const;
const action = { method: "POST", success: "http.actionStatus", body: "optional" } as const;

export const operations = {
  createTransaction: operation({
    ...creation,
    path: "/v1/transactions",
    tag: "Transactions",
    summary: "Send money to one client",
    errors: [
      ours(400, "Missing or invalid amount, msisdn, reference, type or description."),
      ours(409, "A transaction with this reference already exists."),
      ours(422, "The balance does not suffice, or the recipient does not accept transfers."),
    ],
  }),
  createBatch: operation({
    ...creation,
    path: "/v1/transactions/batch",
    tag: "Transactions",
    summary: "Send money to many clients",
    errors: [
      ours(400, "The list is empty or too long, or an item of it is invalid."),
      ours(409, "A reference was used before, or twice in the batch."),
      ours(422, "The balance does not suffice for the whole batch, or a recipient does not accept transfers."),
    ],
  }),
  getTransaction: operation({
    method: "GET",
    path: "/v1/transactions/:id",
    tag: "Transactions",
    summary: "Look up a transaction",
    errors: [ours(404, "Transaction not found.")],
  }),
  checkCustomer: operation({
    method: "GET",
    path: "/v1/transactions/customers/check",
    tag: "Customers",
    summary: "Check a customer's identification status by phone number",
    errors: [ours(400, "Missing or invalid msisdn.")],
  }),
  getBalance: operation({
    method: "GET",
    path: "/v1/balance",
    tag: "Balance",
    summary: "Read the account balance",
    errors: [],
  }),
  createCharge: operation({
    ...creation,
    path: "/v1/charges",
    tag: "Charges",
    summary: "Create a request for payment",
    companyHeader: true,
    errors: [
      contract(
        400,
        "Missing or invalid amount, externalId, description, onCanceledRedirectionUrl or onCompletedRedirectionUrl.",
      ),
      contract(409, "A charge with this externalId already exists."),
    ],
  }),
  payCharge: operation({
    ...action,
    path: "/v1/charges/:id/pay",
    tag: "Charges",
    summary: "Simulate payment of a charge (staging only)",
    errors: [
      ours(400, "Invalid msisdn."),
      chargeNotFound,
      ours(422, "The charge is not due, or the payer does not accept payment requests."),
    ],
  }),
  getCharge: operation({
    method: "GET",
    path: "/v1/charges/:id",
    tag: "Charges",
    summary: "Read a charge: whether it was paid and how much",
    errors: [chargeNotFound],
  }),
  refundCharge: operation({
    ...action,
    path: "/v1/charges/:id/refund",
    tag: "Charges",
    summary: "Refund a paid charge in full or in part",
    errors: [
      contract(400, "Refund amount invalid (greater than the amount paid)."),
      chargeNotFound,
      contract(422, "Charge is not in a refundable state."),
    ],
  }),
  createWebhook: operation({
    ...creation,
    path: "/v1/webhooks",
    tag: "Webhooks",
    summary: "Subscribe a URL to a topic",
    errors: [ours(400, "Missing or invalid topic or url.")],
  }),
  getWebhook: operation({
    method: "GET",
    path: "/v1/webhooks/:id",
    tag: "Webhooks",
    summary: "Read a subscription",
    errors: [ours(404, "Webhook not found.")],
  }),
  listWebhooks: operation({
    method: "GET",
    path: "/v1/webhooks",
    tag: "Webhooks",
    summary: "List subscriptions, oldest first",
    errors: [ours(400, "Invalid limit or cursor.")],
  }),
  deleteWebhook: operation({
    method: "DELETE",
    path: "/v1/webhooks/:id",
    tag: "Webhooks",
    summary: "Delete a subscription",
    success: 204,
    errors: [ours(404, "Webhook not found.")],
  }),
};

export type OperationId = keyof typeof operations;

export const operationIds = Object.keys(operations) as OperationId[];

/** A segment of a path that is never an id: `/v1/transactions/batch`. */
const RESERVED_SEGMENT = "batch";

/** Finds an operation by its method and a path without a query, such as `/v1/charges/3f1d6c2e/pay`. */
export function findOperation(method: string, path: string): OperationId | undefined {
  const given = path.replace(/\/$/, "").split("/");
  const fits = (part: string, segment = ""): boolean =>
    part.startsWith(":") ? segment !== "" && segment !== RESERVED_SEGMENT : part === segment;
  return operationIds.find((id) => {
    const parts = operations[id].path.split("/");
    return (
      operations[id].method === method &&
      parts.length === given.length &&
      parts.every((part, at) => fits(part, given[at]))
    );
  });
}

/** The status with which an operation succeeds under this profile. */
export function successStatus({ success }: Operation, { http }: Profile): number {
  if (success === "http.createdStatus") return http.createdStatus;
  return success === "http.actionStatus" ? http.actionStatus : success;
}

/**
 * The errors of an operation under this profile: the rows of the contract's table and the sandbox's own, without those that the profile removes, and
 * with those that it adds.
 */
export function errorsUnder(id: OperationId, profile: Profile): readonly ErrorRow[] {
  const operation = operations[id];
  return [
    ...(headerIsRequired(id, profile) ? [{ status: 400, cause: "X-Company-Id missing." } as const] : []),
    ...operation.errors.flatMap((row) => replaced(id, row.status, profile) ?? [row]),
    ...(added[id]?.(profile) ?? []),
    ...(operation.body === "none" ? [] : ([{ status: 413 }, { status: 415 }] as const)),
    ...(profile.rateLimit === null ? [] : ([{ status: 429 }] as const)),
    { status: 500 },
  ];
}

/** Whether X-Company-Id is required. The contract: "Whether other endpoints need it: not shown." */
export function headerIsRequired(id: OperationId, { auth }: Profile): boolean {
  return auth.companyHeader === "everywhere" || (auth.companyHeader === "charges" && operations[id].companyHeader);
}

/** The rows by which a profile replaces a row of the table; undefined when it does not. */
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
