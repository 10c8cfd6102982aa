import { msisdn } from "../../domain/values/fields.js";
import { amount, compactTimestamp, timestamp } from "../fields.js";
import * as z from "zod";
import type { Profile } from "../../domain/profile/profile.js";
import { createChargeRequest, payRequest, refundRequest } from "../charges-wire.js";
import { type ResponseSchemas, responseSchemas } from "../response-schemas.js";
import { chargeEntry, chargeFees } from "../response-schemas-charges.js";
import { subscriptionRequest } from "../subscriptions-wire.js";
import { batchRequest, transferRequest } from "../transfers-wire.js";
import type { JsonSchema } from "./document.js";
import { explain } from "./explain-settings.js";

export type SchemaName = keyof ResponseSchemas | keyof ReturnType<typeof requestSchemas> | keyof typeof commonSchemas;

export function schemaRef(name: SchemaName): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** `components/schemas`: the very schemas that validate requests, and those that the tests hold answers and payloads against. */
export function describeSchemas(profile: Profile): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  const named: Record<string, z.ZodType> = { ...commonSchemas, ...requestSchemas(profile), ...answersOf(profile) };
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    target: "draft-2020-12",
    // A request may have more fields than are named; answers say themselves that they have no others.
    io: "input",
    // What only code can check (a URL that parses, metadata's depth) says in its meta what it looks like.
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

/** A schema that is no component, such as a query's. */
export function describeSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  explainAll(described);
  return described;
}

/** The contract's "Common types", and what stands inside other bodies. */
const commonSchemas = {
  Amount: amount,
  PhoneNumber: msisdn,
  Timestamp: timestamp,
  CompactTimestamp: compactTimestamp,
  ChargeEntry: chargeEntry,
  ChargeFees: chargeFees,
};

function requestSchemas(profile: Profile) {
  return {
    CreateTransactionRequest: transferRequest(profile),
    CreateBatchRequest: batchRequest(profile),
    CreateChargeRequest: createChargeRequest(profile),
    PayChargeRequest: payRequest(profile),
    RefundChargeRequest: refundRequest(profile),
    CreateWebhookRequest: subscriptionRequest(profile),
  };
}

/** Under a profile that delivers no change of a charge there is no such payload. */
function answersOf(profile: Profile): Partial<ResponseSchemas> {
  const { ChargePayload, ChargeEvent, ...always } = responseSchemas(profile);
  return profile.webhooks.chargeEvents.length === 0 ? always : { ...always, ChargePayload, ChargeEvent };
}

/** Wherever a setting is named, the description says what it is about. */
function explainAll(node: unknown): void {
  if (typeof node !== "object" || node === null) return;
  if ("x-sandbox-setting" in node && Array.isArray(node["x-sandbox-setting"]) && "description" in node) {
    node.description = explain(String(node.description), node["x-sandbox-setting"].map(String));
  }
  for (const member of Object.values(node)) explainAll(member);
}
