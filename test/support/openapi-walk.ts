import type { OpenApiDocument } from "../../src/contract/openapi/describe-api.js";
import type { Content, Examples, OperationObject } from "../../src/contract/openapi/document.js";
import type { Profile } from "../../src/domain/profile/profile.js";
import type { Json } from "../../src/kernel/messages/json.js";
import { type ProfileOverrides, settings } from "../../src/domain/profile/settings.js";
import { acceptedProfile } from "./profiles.js";

/** `GET /v1/charges/{id}` with its description. */
export function operationsOf(document: OpenApiDocument): [called: string, operation: OperationObject][] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries<OperationObject>({ ...item }).map(([method, operation]): [string, OperationObject] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}

export interface PlacedExample {
  readonly where: string;
  /** `#/components/schemas/…` */
  readonly schema: string;
  readonly value: unknown;
}

/** Every example of a body, with its schema. */
export function examplesOf(document: OpenApiDocument): PlacedExample[] {
  const placed: PlacedExample[] = [];
  visit(document, "", (node, where) => {
    if (!("application/json" in node)) return;
    const { schema, examples } = (node as Content)["application/json"];
    for (const [name, { value }] of Object.entries<Examples[string]>(examples)) {
      placed.push({ where: `${where}/${name}`, schema: schema.$ref ?? `${where} has no $ref`, value });
    }
  });
  return placed;
}

/** Every object of the document with its place; the insides of examples are not part of the document. */
export function visit(node: unknown, where: string, look: (node: object, where: string) => void): void {
  if (typeof node !== "object" || node === null) return;
  look(node, where);
  for (const [name, member] of Object.entries(node)) {
    if (!(name === "value" && /\/examples\/[^/]+$/.test(where))) visit(member, `${where}/${name}`, look);
  }
}

/** One profile for each alternative of each setting, and one in which every setting has an alternative. */
export function everyAlternative(): [name: string, profile: Profile][] {
  const single = settings.flatMap(({ path, alternatives }) =>
    alternatives
      .filter(({ form }) => form !== true)
      .map(({ value }): [string, Profile] => [`${path}: ${JSON.stringify(value)}`, profileOf({ [path]: value })]),
  );
  // Without this setting, whose alternative would remove the operation that pays a charge.
  const left = new Set(["charges.payEndpoint"]);
  const all = settings.flatMap(({ path, alternatives }) => {
    const value = alternatives.find(({ form }) => form !== true)?.value;
    return value === undefined || left.has(path) ? [] : [[path, value] as const];
  });
  return [...single, ["every setting another way", profileOf({ ...written, ...Object.fromEntries(all) })]];
}

/** Values for alternatives that the table only describes. */
const written: SettingsByPath = {
  "transfers.min": 1,
  "transfers.max": 1,
  "transfers.fee": { rate: 0.5, fixed: 7.25, decimals: 4 },
  "batch.maxItems": 1,
  "batch.finalStatus": "done",
  "charges.min": 1,
  "charges.max": 1,
  "charges.ttl": "10m",
  "charges.droppedReason": "too late",
  "charges.service": "djamo",
  "webhooks.signatureHeader": "x-signature",
  "webhooks.topicHeader": "x-topic",
  "webhooks.timeout": "1s",
  "webhooks.allow": ["10.0.0.0/8", "::1"],
  "charges.payField": "phone",
  "refunds.amountField": "value",
  "paging.limitParameter": "page_size",
  "paging.cursorParameter": "after",
  "paging.limit": 1,
  rateLimit: { requests: 10, per: "1s" },
  "server.bodyLimit": 100,
  "testNumbers.success": "0700000001",
};

export function profileOf(byPath: SettingsByPath): Profile {
  return acceptedProfile(overridesOf(byPath)).profile;
}

/** `{"transfers.min": 7}` → `{transfers: {min: 7}}` */
export function overridesOf(byPath: SettingsByPath): ProfileOverrides {
  const overrides: Record<string, Json> = {};
  for (const [path, value] of Object.entries(byPath)) {
    const [group = "", name] = path.split(".");
    overrides[group] = name === undefined ? value : { ...Object(overrides[group]), [name]: value };
  }
  return overrides;
}

export type SettingsByPath = Readonly<Record<string, Json>>;
