import type { SettingPath } from "../fields.js";
import type { Profile } from "../../domain/profile/profile.js";
import { headerIsRequired } from "../operation-errors.js";
import { type Operation, type OperationId, operationOf, successStatus } from "../operations.js";
import type { ResponseSchemas } from "../response-schemas.js";
import { type SchemaName, schemaRef } from "./component-schemas.js";
import type { Content, Examples, OperationObject, Reference, RequestBodyObject, ResponseObject } from "./document.js";
import { type DocumentedError, documentedErrors } from "./documented-errors.js";
import { explain, resting } from "./explain-settings.js";
import { operationNotes } from "./operation-notes.js";
import { idParameter, queryParameters } from "./parameters.js";
import type { SampleAnswers } from "./sample-answers.js";
import { renderSampleError } from "./sample-errors.js";
import type { SampleWorld } from "./sample-world.js";
import { errorContent, sharedErrorName } from "./shared-errors.js";

/** One endpoint of the contract as the sample's profile makes it. */
export function describeOperation(id: OperationId, sample: SampleWorld, answers: SampleAnswers): OperationObject {
  const operation = operationOf(id);
  const { profile } = sample.stage;
  const { tag, summary } = operation;
  const { description, settings } = operationNotes[id];
  const parameters = [
    ...(operation.path.includes(":id") ? [idParameter(operation)] : []),
    ...queryParameters(id, profile),
    ...companyParameter(id, profile),
  ];
  const requestBody = describeRequestBody(id, operation, sample);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...resting(description, settings),
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

/** What each operation answers; null: no body. */
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

function describeRequestBody(
  id: OperationId,
  { body, summary }: Operation,
  { requests }: SampleWorld,
): RequestBodyObject | undefined {
  const schema = requestSchemas[id];
  if (schema === undefined) return undefined;
  const byOperation: { readonly [Id in OperationId]?: unknown } = requests;
  const examples: Examples = {
    request: { summary, value: byOperation[id] },
    ...(body === "optional" ? { nothing: { summary: "Without any field", value: {} } } : {}),
  };
  return { required: body === "required", content: contentOf(schema, examples) };
}

function describeSuccess(id: OperationId, { success }: Operation, examples: Examples): ResponseObject {
  const schema = answerSchemas[id];
  const settings: SettingPath[] = typeof success === "number" ? [] : [success];
  return {
    ...resting(operationNotes[id].success, settings),
    ...(schema === null ? {} : { content: contentOf(schema, examples) }),
  };
}

/** A status that means here what it means everywhere is referred to; one of the operation's own has its own causes, settings and example. */
function describeError(id: OperationId, error: DocumentedError, sample: SampleWorld): ResponseObject | Reference {
  const { status, causes, settings } = error;
  const description = causes.length > 1 ? causes.map((cause) => `- ${cause}`).join("\n") : causes[0];
  const example = renderSampleError(sample, id, status);
  if (example !== undefined && description !== undefined) {
    return { ...resting(description, settings), content: errorContent(example) };
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
