import * as z from "zod";
import { amount, compactTimestamp, note, timestamp } from "../fields.js";
import type { Profile, SettingPath } from "../../domain/profile/profile.js";
import type { Operation, OperationId } from "../operations.js";
import { PAGE_LIMIT_MAX, customerCheckQuery } from "../queries.js";
import type { JsonSchema, ParameterObject, WithSettings } from "./document.js";
import { sourceOf } from "../../domain/profile/setting.js";
import { findSetting, settings } from "../../domain/profile/settings.js";
import { metadata, msisdn } from "../../domain/values/fields.js";
import { chargeEntry, chargeFees, createChargeRequest, payRequest, refundRequest } from "../charges.js";
import { type ResponseSchemas, responseSchemas } from "../response-schemas.js";
import { subscriptionRequest } from "../subscriptions.js";
import { batchRequest, transferRequest } from "../transfers.js";
import { groupBy } from "../../kernel/collections.js";

export type SchemaName = keyof ResponseSchemas | keyof ReturnType<typeof requestSchemas> | keyof typeof commonSchemas;

export function schemaRef(name: SchemaName): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** `components/schemas`: the same schemas that validate requests, and against which the tests validate answers and payloads. */
export function describeSchemas(profile: Profile): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  const named: Record<string, z.ZodType> = { ...commonSchemas, ...requestSchemas(profile), ...answersOf(profile) };
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    target: "draft-2020-12",
    // A request may have more fields than are named. The schemas of answers themselves exclude other fields.
    io: "input",
    // What only code can check (whether a URL parses, the depth of metadata) is described in the schema's meta.
    unrepresentable: "any",
    uri: (id) => `#/components/schemas/${id}`,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _dialect, $id: _address, ...schema }]) => {
      explainAll(schema);
      return [name, schema];
    }),
  );
}

/** Describes a schema that is not a component, such as that of a query. */
function describeSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  explainAll(described);
  return described;
}

const commonSchemas = {
  Amount: amount,
  PhoneNumber: msisdn,
  Metadata: metadata,
  Timestamp: timestamp,
  CompactTimestamp: compactTimestamp,
  ChargeEntry: chargeEntry,
  ChargeFees: chargeFees,
};

function requestSchemas(profile: Profile) {
  const batch = batchRequest(profile);
  return {
    CreateTransactionRequest: transferRequest(profile),
    CreateBatchItem: batch.shape.transactions.element,
    CreateBatchRequest: batch,
    CreateChargeRequest: createChargeRequest(profile),
    PayChargeRequest: payRequest(profile),
    RefundChargeRequest: refundRequest(profile),
    CreateWebhookRequest: subscriptionRequest(profile),
  };
}

/** A profile that delivers no changes of charges has no schema for their payloads. */
function answersOf(profile: Profile): Partial<ResponseSchemas> {
  const { ChargePayload, ChargeEvent, ...always } = responseSchemas(profile);
  return profile.webhooks.chargeEvents.length === 0 ? always : { ...always, ChargePayload, ChargeEvent };
}

/** Adds to every description that names settings what these settings are about. */
function explainAll(node: unknown): void {
  if (typeof node !== "object" || node === null) return;
  if ("x-sandbox-setting" in node && Array.isArray(node["x-sandbox-setting"]) && "description" in node) {
    node.description = explain(String(node.description), node["x-sandbox-setting"].map(String));
  }
  for (const member of Object.values(node)) explainAll(member);
}

/** A description with the settings that it depends on, and the words of the contract that leave the point open. */
export function withSettings(
  description: string,
  paths: readonly SettingPath[],
): { description: string } & WithSettings {
  return paths.length === 0
    ? { description }
    : { description: explain(description, paths), "x-sandbox-setting": paths };
}

export function explain(description: string, paths: readonly string[]): string {
  const bySource = groupBy(paths, (path) => sourceOf(findSetting(path) ?? { contract: "" }));
  const sentences = [...bySource].map(([source, names]) => {
    return `Rests on ${names.map((name) => `\`${name}\``).join(", ")}. ${source}`;
  });
  return [description, ...sentences].join("\n\n");
}

export function describeSettings() {
  return Object.fromEntries(
    settings.map(({ path, summary, default: chosen, contract }) => [path, { summary, default: chosen, contract }]),
  );
}

export function companyParameters(profile: Profile): Record<string, ParameterObject> {
  if (profile.auth.companyHeader === "ignored") return {};
  const parameter = {
    name: "X-Company-Id",
    in: "header",
    ...withSettings("The id of the access token's company.", ["auth.companyHeader"]),
    schema: { type: "string" },
    example: "company_sandbox",
  } as const;
  return {
    CompanyId: { ...parameter, required: true },
    OptionalCompanyId: { ...parameter, required: false },
  };
}

export function idParameter({ tag }: Operation, example: string): ParameterObject {
  return {
    name: "id",
    in: "path",
    required: true,
    description: idDescriptions[tag],
    schema: { type: "string" },
    example,
  };
}

const idDescriptions: Readonly<Record<Operation["tag"], string>> = {
  Transactions: "The transaction's id, with `txn_` or without.",
  Customers: "The customer's id.",
  Balance: "The account's id.",
  Charges: "The charge's id.",
  Webhooks: "The subscription's id.",
};

/** The query parameters of an operation, from the schema that reads them. */
export function queryParameters(id: OperationId, profile: Profile): ParameterObject[] {
  if (id === "checkCustomer") return parametersOf(customerCheckQuery(profile));
  return id === "listWebhooks" ? parametersOf(pagingQuery(profile)) : [];
}

/** Describes what `parsePaging` accepts, which reads digits instead of numbers. */
function pagingQuery({ paging }: Profile) {
  return z.object({
    [paging.limitParameter]: z
      .int()
      .min(1)
      .max(PAGE_LIMIT_MAX)
      .meta({ ...note("Page size.", "paging.limit", "paging.limitParameter"), default: paging.limit })
      .optional(),
    [paging.cursorParameter]: z
      .string()
      .meta(note("`cursor.prev` or `cursor.next` of an earlier answer.", "paging.cursorParameter"))
      .optional(),
  });
}

function parametersOf(query: z.ZodType): ParameterObject[] {
  const { properties = {}, required = [] } = describeSchema(query);
  return Object.entries(properties).flatMap(([name, property]) => {
    if (typeof property === "boolean" || !("type" in property)) return []; // a profile that refuses the parameter
    const { description = "", "x-sandbox-setting": settings, ...schema } = property;
    const rests = Array.isArray(settings) ? { "x-sandbox-setting": settings.map(String) } : {};
    return [{ name, in: "query" as const, required: required.includes(name), description, ...rests, schema }];
  });
}
