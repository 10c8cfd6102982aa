import { type ProblemCode, refuse } from "../../domain/model/problem-codes.js";
import { Problem } from "../../kernel/messages/problem.js";
import { type ErrorStatus, errorName, renderErrorAs, statusOfProblem } from "../problems.js";
import type { Content, ResponseObject } from "./document.js";
import { withSettings } from "./schemas.js";
import type { SampleWorld } from "./sample-world.js";
import { type Money, fromXof } from "../../domain/values/money.js";
import type { Charge } from "../../domain/model/charge.js";
import { createCharge, getCharge } from "../../domain/charges/create-charge.js";
import { payCharge } from "../../domain/charges/pay-charge.js";
import { refundCharge } from "../../domain/charges/refund-charge.js";
import { createSubscription, getSubscription } from "../../domain/deliveries/subscriptions.js";
import { createBatch } from "../../domain/transfers/create-batch.js";
import { createTransfer } from "../../domain/transfers/create-transfer.js";
import { getTransfer } from "../../domain/transfers/settle-transfer.js";
import { createChargeRequest, parsePay } from "../charges.js";
import { type ErrorRow, type OperationId, errorsUnder, headerIsRequired, operations } from "../operations.js";
import { parseRequest } from "../parse.js";
import { parseCustomerCheck, parsePaging } from "../queries.js";
import { subscriptionRequest } from "../subscriptions.js";
import { parseBatchRequest, toOrder, transferRequest } from "../transfers.js";
import type { Profile, SettingPath } from "../../domain/profile/profile.js";

/** A status with which an operation refuses, with everything that it may mean. */
export interface DocumentedError {
  readonly status: ErrorStatus;
  /** Empty when the status always means the same. */
  readonly causes: readonly string[];
  readonly settings: readonly SettingPath[];
}

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

/** The settings that decide whether an operation answers a status, for statuses where operations differ. */
const settingsOfStatus: {
  readonly [Id in OperationId]?: { readonly [Status in ErrorStatus]?: readonly SettingPath[] };
} = {
  createTransaction: {
    400: ["transfers.min", "transfers.max"],
    409: ["transfers.duplicateReference"],
    422: ["transfers.insufficientBalance", "transfers.unknownRecipient", "testNumbers.refused"],
  },
  createBatch: {
    400: ["batch.maxItems", "batch.itemType", "transfers.min", "transfers.max"],
    409: ["transfers.duplicateReference"],
    422: ["transfers.insufficientBalance", "transfers.unknownRecipient", "testNumbers.refused"],
  },
  checkCustomer: { 400: ["customers.subCompanyId"] },
  createCharge: { 400: ["charges.min", "charges.max"] },
  payCharge: { 400: ["unknownBody"], 409: ["charges.payNotDue"], 422: ["charges.payNotDue", "testNumbers.refused"] },
  refundCharge: {
    400: ["refunds.aboveLeft", "unknownBody"],
    422: ["refunds.aboveLeft", "refunds.further", "refunds.insufficientBalance"],
  },
  createWebhook: { 400: ["webhooks.allow"], 409: ["webhooks.duplicateSubscription"] },
};

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

/** An example of a refusal, and the identifier in its path. */
interface Refusal {
  readonly id: string;
  readonly refused: () => unknown;
}

type Refusals = { readonly [Status in ErrorStatus]?: Refusal | (() => unknown) };

/** The body with which an operation refuses, in the words of the sandbox; undefined when there is no example. */
export function renderSampleError(sample: SampleWorld, id: OperationId, status: ErrorStatus): unknown {
  const refusal = refusals(sample)[id][status];
  if (refusal === undefined) return undefined;
  const { id: resource, refused } = typeof refusal === "function" ? { id: UNKNOWN_ID, refused: refusal } : refusal;
  return renderProblem(sample, operations[id].path.replace(":id", resource), sample.stage.refusalOf(refused));
}

function renderProblem({ stage }: SampleWorld, path: string, { code, messages }: Problem<ProblemCode>): unknown {
  return renderErrorAs(stage.profile.errors.shape, statusOfProblem[code], messages, {
    correlationId: stage.ids.hex32(),
    path,
    timestamp: stage.now(),
  });
}

function refusals(sample: SampleWorld): Readonly<Record<OperationId, Refusals>> {
  const { stage, requests, charges } = sample;
  const { profile, world, run } = stage;
  const { refused, success } = profile.testNumbers;
  const order = toOrder(requests.createTransaction);
  const isDuplicateRefused = profile.transfers.duplicateReference === "conflict";
  const pay = ({ id }: Charge, msisdn: string): Refusal => ({
    id,
    refused: () => run(payCharge, { chargeId: id, msisdn }),
  });
  const refund = ({ id }: Charge, amount: Money | undefined): Refusal => ({
    id,
    refused: () => run(refundCharge, { chargeId: id, amount }),
  });
  const noCompanyHeader = (): never => refuse("company_header_missing", "X-Company-Id is missing");
  const noCharge = (): unknown => getCharge({ world }, UNKNOWN_ID);
  const noWebhook = (): unknown => getSubscription({ world }, UNKNOWN_ID);
  return {
    createTransaction: {
      400: () => parseRequest(transferRequest(profile), { ...requests.createTransaction, amount: 0.5, msisdn: "12" }),
      ...(isDuplicateRefused ? { 409: () => run(createTransfer, order) } : {}),
      422: () => run(createTransfer, { ...order, reference: "payout-1005", msisdn: refused }),
    },
    createBatch: {
      400: () => parseBatchRequest(profile, { transactions: [{ ...requests.createTransaction, msisdn: "12" }] }),
      ...(isDuplicateRefused ? { 409: () => run(createBatch, [order]) } : {}),
      422: () => run(createBatch, [{ ...order, reference: "payout-1005", msisdn: refused }]),
    },
    getTransaction: { 400: noCompanyHeader, 404: () => run(getTransfer, `txn_${UNKNOWN_ID}`) },
    checkCustomer: { 400: () => parseCustomerCheck(profile, {}) },
    getBalance: { 400: noCompanyHeader },
    createCharge: {
      400: () => parseRequest(createChargeRequest(profile), { ...requests.createCharge, amount: -1, externalId: " " }),
      409: () => run(createCharge, { ...charges.due, checkoutUrl: "" }),
    },
    payCharge: {
      400: () => parsePay(profile, { [profile.charges.payField]: "12" }),
      404: noCharge,
      ...(profile.charges.payNotDue === 409 ? { 422: pay(charges.due, refused) } : {}),
      [profile.charges.payNotDue]: pay(charges.paid, success),
    },
    getCharge: { 400: noCompanyHeader, 404: noCharge },
    refundCharge: {
      400: refund(charges.paid, charges.paid.amount + fromXof(1)),
      404: noCharge,
      422: refund(charges.due, undefined),
    },
    createWebhook: {
      400: () => parseRequest(subscriptionRequest(profile), { topic: "charges", url: "/webhooks" }),
      ...(profile.webhooks.duplicateSubscription === "conflict"
        ? { 409: () => run(createSubscription, requests.createWebhook) }
        : {}),
    },
    getWebhook: { 400: noCompanyHeader, 404: noWebhook },
    listWebhooks: { 400: () => parsePaging(profile, { [profile.paging.limitParameter]: "0" }) },
    deleteWebhook: { 400: noCompanyHeader, 404: noWebhook },
  };
}

/** The name of a status among the shared answers, such as `BadRequest` or `NotFound`. */
export function sharedErrorName(status: number): string {
  return errorName(status)
    .replace(/ Exception$/, "")
    .replaceAll(" ", "");
}

export function errorContent(example: unknown): Content {
  return {
    "application/json": {
      schema: { $ref: "#/components/schemas/ErrorBody" },
      examples: { refused: { value: example } },
    },
  };
}

interface SharedError {
  readonly description: string;
  readonly settings?: readonly SettingPath[];
  readonly headers?: NonNullable<ResponseObject["headers"]>;
  readonly example: unknown;
}

/** The shared answer of each status, whichever operation gives it. */
export function describeSharedErrors(sample: SampleWorld): Record<string, ResponseObject> {
  return Object.fromEntries(
    Object.entries(sharedErrors(sample)).map(([status, { description, settings = [], headers, example }]) => [
      sharedErrorName(Number(status)),
      { ...withSettings(description, settings), ...(headers && { headers }), content: errorContent(example) },
    ]),
  );
}

/** The texts of the HTTP layer are repeated here. A test compares them with its answers. */
function sharedErrors(sample: SampleWorld): Readonly<Record<ErrorStatus, SharedError>> {
  const refusal = (code: ProblemCode, message: string, path = "/v1/charges"): unknown =>
    renderProblem(sample, path, new Problem(code, message));
  return {
    400: {
      description: "The request is invalid; the answer names every problem.",
      example: refusal("malformed_json", "The body is not JSON: it ends too early"),
    },
    401: {
      description: "Access token missing or invalid.",
      example: refusal("token_invalid", "Authorization is missing; it must be: Bearer <access token>"),
    },
    403: {
      description: "X-Company-Id names another company than the token's.",
      settings: ["auth.companyHeader"],
      example: refusal(
        "company_mismatch",
        `X-Company-Id must be company_sandbox, the access token's company, got "company_other"`,
      ),
    },
    404: {
      description: "There is no such path, or no resource with this identifier.",
      example: refusal("route_not_found", "There is no GET /v1/nothing here", "/v1/nothing"),
    },
    405: {
      description: "The path does not have this method.",
      headers: { Allow: { description: "The methods that the path has.", schema: { type: "string" } } },
      example: refusal("method_not_allowed", "PUT is not a method of this path; it has POST"),
    },
    409: {
      description: "The request conflicts with an existing resource.",
      example: renderSampleError(sample, "createCharge", 409),
    },
    413: {
      description: "The body is too large.",
      settings: ["server.bodyLimit"],
      example: refusal("body_too_large", `The body must be at most ${sample.stage.profile.server.bodyLimit} bytes`),
    },
    415: {
      description: "The content type of the body is not JSON.",
      example: refusal("media_type_unsupported", 'content-type must be application/json, got "text/plain"'),
    },
    422: {
      description: "The resource is not in a state that allows the request.",
      example: renderSampleError(sample, "refundCharge", 422),
    },
    429: {
      description: "Too many requests in this span of time.",
      settings: ["rateLimit"],
      headers: {
        "Retry-After": { description: "Seconds until the next request is admitted.", schema: { type: "integer" } },
      },
      example: refusal("rate_limited", "Too many requests; the next is admitted in 1 s"),
    },
    500: {
      description: "An error inside the sandbox.",
      example: refusal("internal", "An error inside the sandbox; its log says more under this correlationId"),
    },
  };
}
