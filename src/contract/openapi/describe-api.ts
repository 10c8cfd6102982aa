import { stringify } from "yaml";
import type { JsonSchema, Method, ParameterObject, PathItem, ResponseObject } from "./document.js";
import { defaultProfile } from "../../domain/profile/parse-profile.js";
import type { Profile } from "../../domain/profile/profile.js";
import { VERSION } from "../../kernel/version.js";
import { operationIds, operations } from "../operations.js";
import { companyParameters, describeSchemas, describeSettings } from "./schemas.js";
import { describeOperation } from "./describe-operation.js";
import { describeWebhooks } from "./describe-webhooks.js";
import { renderSampleAnswers } from "./sample-answers.js";
import { type SampleWorld, createSampleWorld } from "./sample-world.js";
import { describeSharedErrors } from "./errors.js";

export interface DescribeOptions {
  /** Default: the profile without overrides. */
  readonly profile?: Profile;
  readonly version?: string;
  /** The base URL of the API, without a slash at the end. */
  readonly serverUrl?: string;
}

/**
 * The API under this profile as OpenAPI 3.1: the statuses, fields and bounds are those that the sandbox answers and checks. Returns a plain JSON
 * object, the same for the same options.
 */
export function describeApi(options: DescribeOptions = {}) {
  const { profile = defaultProfile(), version = VERSION, serverUrl = "http://127.0.0.1:4010" } = options;
  const sample = createSampleWorld(profile, `${serverUrl}/checkout/`);
  return withoutUnused({
    openapi: "3.1.0" as const,
    info: {
      title: "Business Payments",
      version,
      summary: "Transfers, charges and webhooks of a business account, as the sandbox answers them.",
      description: INTRODUCTION,
      contact: { name: "Business Payments Sandbox", url: "https://www.npmjs.com/package/business-payments-sandbox" },
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [{ url: serverUrl, description: "The sandbox" }],
    tags: TAGS,
    security: [{ accessToken: [] }],
    paths: describePaths(sample),
    webhooks: describeWebhooks(sample),
    components: {
      schemas: describeSchemas(profile),
      responses: describeSharedErrors(sample),
      parameters: companyParameters(profile),
      securitySchemes: {
        accessToken: {
          type: "http",
          scheme: "bearer",
          description: "`Authorization: Bearer <ACCESS_TOKEN>`. The token alone selects the company.",
        },
      },
    },
    "x-sandbox-settings": describeSettings(),
  });
}

/** Removes unused components. Which ones are used depends on the profile. */
function withoutUnused<Document extends { readonly components: Components }>(document: Document): Document {
  const text = JSON.stringify(document);
  const { components } = document;
  const used = <T>(kind: keyof Components, members: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(
      Object.entries(members).filter(([name]) => text.includes(`"$ref":"#/components/${kind}/${name}"`)),
    );
  const kept = {
    ...components,
    schemas: used("schemas", components.schemas),
    responses: used("responses", components.responses),
    parameters: used("parameters", components.parameters),
  };
  const smaller = { ...document, components: kept };
  return JSON.stringify(smaller) === text ? document : withoutUnused(smaller);
}

interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly parameters: Readonly<Record<string, ParameterObject>>;
}

export type OpenApiDocument = ReturnType<typeof describeApi>;

const INTRODUCTION = [
  'Where the contract of the service says "not shown", this document shows what the sandbox chose: `x-sandbox-setting` names the ' +
    "settings on which a field, a status or an operation rests, and `x-sandbox-settings` explains each of them.",
  "Unknown paths answer 404, known paths with another method 405 with `Allow`. Every answer also carries `x-sandbox` (the version) and " +
    "`x-sandbox-now` (the company's time), unless the sandbox was started with `--production-headers-only`. Unknown fields of " +
    "a request are ignored.",
].join("\n\n");

const TAGS = [
  { name: "Balance", description: "The business account." },
  { name: "Charges", description: "Collecting payments, and refunding them." },
  { name: "Customers", description: "Checks who a phone number belongs to." },
  { name: "Events", description: "The signed webhooks that subscribers receive." },
  { name: "Transactions", description: "Sending money to one or many wallet users." },
  { name: "Webhooks", description: "Subscriptions to events." },
];

const methods = { GET: "get", POST: "post", DELETE: "delete" } as const satisfies Record<string, Method>;

function describePaths(sample: SampleWorld): Record<string, PathItem> {
  const answers = renderSampleAnswers(sample);
  const paths: Record<string, PathItem> = {};
  for (const id of operationIds) {
    if (id === "payCharge" && sample.stage.profile.charges.payEndpoint === "absent") continue;
    const { method, path } = operations[id];
    const template = path.replaceAll(/:(\w+)/g, "{$1}");
    paths[template] = { ...paths[template], [methods[method]]: describeOperation(id, sample, answers) };
  }
  return paths;
}

/** The document as YAML: without aliases, and with quotes around text that YAML 1.1 would read as a date or a boolean. */
export function renderOpenApiYaml(document: OpenApiDocument): string {
  return stringify(document, { aliasDuplicateObjects: false, compat: "yaml-1.1", blockQuote: "literal", lineWidth: 0 });
}
