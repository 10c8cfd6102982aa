import { type Operation, type OperationId, headerIsRequired, operations, successStatus } from "../operations.js";
import type { Profile, SettingPath } from "../../domain/profile/profile.js";
import type { ResponseSchemas } from "../response-schemas.js";
import { type SchemaName, explain, idParameter, queryParameters, withSettings, schemaRef } from "./schemas.js";
import type { Content, Examples, OperationObject, Reference, ResponseObject } from "./document.js";
import { type DocumentedError, documentedErrors, errorContent, renderSampleError, sharedErrorName } from "./errors.js";
import { transactionId } from "../../domain/values/ids.js";
import type { SampleAnswers } from "./sample-answers.js";
import type { SampleWorld } from "./sample-world.js";

export function describeOperation(id: OperationId, sample: SampleWorld, answers: SampleAnswers): OperationObject {
  const operation = operations[id];
  const { profile } = sample.stage;
  const { tag, summary } = operation;
  const { description, settings } = operationNotes[id];
  const parameters = [
    ...(operation.path.includes(":id") ? [idParameter(operation, sampleId(operation.tag, sample))] : []),
    ...queryParameters(id, profile),
    ...companyParameter(id, profile),
  ];
  const requestBody = describeRequestBody(id, operation, sample, answers[id]);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...withSettings(description, settings),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody && { requestBody }),
    responses: {
      [successStatus(operation, profile)]: describeSuccess(id, operation, answers[id]),
      ...Object.fromEntries(
        documentedErrors(id, profile).map((error) => [error.status, describeError(id, error, sample)]),
      ),
    },
  };
}

/** The schema of each operation's answer; null when it has no body. */
const answerSchemas: Readonly<Record<OperationId, keyof ResponseSchemas | null>> = {
  createTransaction: "TransactionCreated",
  createBatch: "Batch",
  getTransaction: "Transaction",
  checkCustomer: "CustomerCheck",
  getBalance: "Balance",
  createCharge: "ChargeCreated",
  payCharge: "ChargePaid",
  getCharge: "Charge",
  refundCharge: "ChargeRefunded",
  createWebhook: "WebhookSubscription",
  getWebhook: "WebhookSubscription",
  listWebhooks: "WebhookSubscriptionPage",
  deleteWebhook: null,
};

const requestSchemas: { readonly [Id in OperationId]?: SchemaName } = {
  createTransaction: "CreateTransactionRequest",
  createBatch: "CreateBatchRequest",
  createCharge: "CreateChargeRequest",
  payCharge: "PayChargeRequest",
  refundCharge: "RefundChargeRequest",
  createWebhook: "CreateWebhookRequest",
};

function sampleId(tag: Operation["tag"], { charges, subscription, transfers }: SampleWorld): string {
  if (tag === "Charges") return charges.due.id;
  return tag === "Webhooks" ? subscription.id : transactionId(transfers.completed.id);
}

/** The examples of a request have the names of the examples of its answer. */
function describeRequestBody(
  id: OperationId,
  { body, summary }: Operation,
  { requests, stage }: SampleWorld,
  answers: Examples,
): OperationObject["requestBody"] {
  const schema = requestSchemas[id];
  if (schema === undefined) return undefined;
  const byOperation: { readonly [Id in OperationId]?: unknown } = requests;
  const { charges, testNumbers } = stage.profile;
  const byAnswer: Readonly<Record<string, unknown>> = {
    declined: { [charges.payField]: testNumbers.failure },
    full: {},
  };
  const examples: Examples = Object.fromEntries(
    Object.keys(answers).map((name) => [name, { summary, value: byAnswer[name] ?? byOperation[id] }]),
  );
  return { required: body === "required", content: contentOf(schema, examples) };
}

function describeSuccess(id: OperationId, { success }: Operation, examples: Examples): ResponseObject {
  const schema = answerSchemas[id];
  const settings: SettingPath[] = typeof success === "number" ? [] : [success];
  return {
    ...withSettings(operationNotes[id].success, settings),
    ...(schema === null ? {} : { content: contentOf(schema, examples) }),
  };
}

/**
 * Refers to the shared answer where a status means the same as everywhere. A status with causes of its own has its own description, settings and
 * example.
 */
function describeError(id: OperationId, error: DocumentedError, sample: SampleWorld): ResponseObject | Reference {
  const { status, causes, settings } = error;
  const description = causes.length > 1 ? causes.map((cause) => `- ${cause}`).join("\n") : causes[0];
  const example = renderSampleError(sample, id, status);
  if (example !== undefined && description !== undefined) {
    return { ...withSettings(description, settings), content: errorContent(example) };
  }
  const $ref = `#/components/responses/${sharedErrorName(status)}`;
  return description === undefined ? { $ref } : { $ref, description: explain(description, settings) };
}

function contentOf(schema: SchemaName, examples: Examples): Content {
  return { "application/json": { schema: schemaRef(schema), examples } };
}

function companyParameter(id: OperationId, profile: Profile): Reference[] {
  if (profile.auth.companyHeader === "ignored") return [];
  const name = headerIsRequired(id, profile) ? "CompanyId" : "OptionalCompanyId";
  return [{ $ref: `#/components/parameters/${name}` }];
}

/** The numbers that decide how a transfer or a payment ends. */
const outcomeNumbers = (
  ["success", "failure", "pending", "late", "silent", "limit", "unverified", "confirming"] as const
).map((role) => `testNumbers.${role}` as const);

interface OperationNote {
  /** Adds to the summary what happens; `success` describes the answer. */
  readonly description: string;
  readonly success: string;
  /** The settings on which the operation depends, besides those of its fields and statuses. */
  readonly settings: readonly SettingPath[];
}

const operationNotes: Readonly<Record<OperationId, OperationNote>> = {
  createTransaction: {
    description:
      "Debits the business account and credits one wallet user. The answer shows the transaction as `pending`; how it ends is " +
      "reported by `transactions/completed` or `transactions/failed`, and by GET.",
    success: "The transaction was received and queued.",
    settings: [
      "transfers.settlement",
      "transfers.unknownRecipient",
      "transfers.debit",
      "transfers.fee",
      ...outcomeNumbers,
    ],
  },
  createBatch: {
    description:
      "Makes many transfers at once: all of them are accepted, or none. Each becomes a transaction of its own.",
    success: "All transactions of the batch were received and queued.",
    settings: ["transfers.settlement", "transfers.debit", "transfers.fee"],
  },
  getTransaction: {
    description: "The identifier may be given with or without `txn_`.",
    success: "The transaction.",
    settings: ["transfers.settlement"],
  },
  checkCustomer: {
    description: "A user that is not found is answered with the `unknown` values, not with an error.",
    success: "What is known about the number.",
    settings: ["customers.unlisted", "testNumbers.success", "testNumbers.refused", "testNumbers.unverified"],
  },
  getBalance: { description: "The balance of the access token's company.", success: "The balance.", settings: [] },
  createCharge: {
    description:
      "The answer carries `paymentUrl`, the page on which the customer pays. A charge that nobody pays in time is dropped.",
    success: "The charge was created and waits for its payment.",
    settings: ["charges.ttl", "charges.fee"],
  },
  payCharge: {
    description:
      "Only for staging: pays the charge as the customer would on its payment page. Without a body, or without a phone number, the " +
      "payment succeeds. The answer to an attempt that fails is like that to one that succeeds.",
    success: "The charge after the attempt.",
    settings: ["charges.payEndpoint", "charges.payField", "charges.failedAttempt", "unknownBody", ...outcomeNumbers],
  },
  getCharge: {
    description: "The charge in its current state.",
    success: "The charge.",
    settings: [],
  },
  refundCharge: {
    description:
      "Without a body, or without an amount, everything that is left of the paid amount is refunded; with an amount only that part.",
    success: "The charge after the refund.",
    settings: ["refunds.amountField", "refunds.further", "refunds.insufficientBalance", "unknownBody"],
  },
  createWebhook: {
    description: "From now on each event of the topic is sent to the URL, signed. See the webhooks of this document.",
    success: "The subscription was created.",
    settings: ["webhooks.duplicateSubscription"],
  },
  getWebhook: { description: "One subscription of the company.", success: "The subscription.", settings: [] },
  listWebhooks: {
    description: "Lists page by page: `cursor.next` or `cursor.prev` of an answer is the `cursor` of the next request.",
    success: "One page of the subscriptions.",
    settings: ["paging.limit"],
  },
  deleteWebhook: {
    description: "No more webhooks are sent for the subscription; those still pending are cancelled.",
    success: "The subscription is deleted. There is no body.",
    settings: [],
  },
};
