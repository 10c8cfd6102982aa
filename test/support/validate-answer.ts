import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describeApi } from "../../src/contract/openapi/describe-api.js";
import type { OpenApiDocument } from "../../src/contract/openapi/describe-api.js";
import type { Content, OperationObject, ResponseObject } from "../../src/contract/openapi/document.js";
import { defaultProfile } from "../../src/domain/profile/parse-profile.js";
import type { Profile } from "../../src/domain/profile/profile.js";

export interface ObservedAnswer {
  readonly method: string;
  /** The called path, with or without a query. */
  readonly path: string;
  readonly status: number;
  /** The body's JSON; undefined when there was none. */
  readonly body: unknown;
}

/**
 * Throws when an answer does not match the API description of this profile: its status must belong to the operation, its body to the status. An
 * undescribed path must be 404, an undescribed method 405.
 */
export function validateAnswer(answer: ObservedAnswer, profile?: Profile): void {
  const description = descriptionFor(profile);
  const { method, path, status, body } = answer;
  const called = `${method} ${path}`;
  const schema = schemaOf(description.document, answer);
  if (schema === undefined) {
    if (body !== undefined) throw new Error(`${called} answered ${status} with a body, and none is described.`);
    return;
  }
  description.validate(schema, body, `${called} answered ${status}`);
  const statusCode = memberOf(body, "statusCode");
  if (status >= 400 && statusCode !== undefined && statusCode !== status) {
    throw new Error(`${called} answered ${status} with statusCode ${JSON.stringify(statusCode)}.`);
  }
}

/** Throws when a payload does not match the API description of this profile for its topic, in the topic's spelling. */
export function validatePayload(topic: string, body: unknown, profile?: Profile): void {
  const description = descriptionFor(profile);
  const schema = referenceIn(description.document.webhooks[topic]?.post?.requestBody?.content);
  if (schema === undefined) throw new Error(`A payload of ${topic} was sent, and none is described.`);
  description.validate(schema, body, `A payload of ${topic} was sent`);
  if (memberOf(body, "topic") !== topic) throw new Error(`A payload of ${topic} says that it is of another topic.`);
}

/**
 * Compiles the validators for the answers of this call. Compiling blocks the process, which would disturb a delivery attempt in flight.
 */
export function prepareAnswer(method: string, path: string, profile?: Profile): void {
  const { document, prepare } = descriptionFor(profile);
  const responses = operationAt(document, method, path)?.responses ?? {};
  prepare(Object.values(responses).flatMap((response) => referenceIn(resolve(document, response).content) ?? []));
}

/** Compiles the validators of all payloads. */
export function preparePayloads(profile?: Profile): void {
  const { document, prepare } = descriptionFor(profile);
  prepare(Object.values(document.webhooks).flatMap(({ post }) => referenceIn(post?.requestBody?.content) ?? []));
}

/** An API description with the validators of its schemas. */
export interface CompiledDescription {
  readonly document: OpenApiDocument;
  /** Compiles the validators of these references, once. */
  readonly prepare: (references: readonly string[]) => void;
  /** Throws, saying `what` happened, when the schema at this reference refuses the value. */
  validate(reference: string, value: unknown, what: string): void;
}

/** By the content of the profile, since many tests have equal profiles. */
const compiled = new Map<string, CompiledDescription>();
const keys = new WeakMap<Profile, string>();
const standard = defaultProfile();

export function descriptionFor(profile: Profile = standard): CompiledDescription {
  const key = keys.get(profile) ?? JSON.stringify(profile);
  keys.set(profile, key);
  const description = compiled.get(key) ?? compileDescription(describeApi({ profile }));
  compiled.set(key, description);
  return description;
}

// The documents have keywords that are not part of JSON Schema. Tests of the API description validate its schemas.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, code: { optimize: false } });
addFormats.default(ajv);

/** By the content of the schemas, which most settings do not change. */
const compilers = new Map<string, (reference: string) => ValidateFunction>();

function createCompiler(schemas: OpenApiDocument["components"]["schemas"]): (reference: string) => ValidateFunction {
  const name = `api${compilers.size}`;
  ajv.addSchema({ components: { schemas } }, name);
  const validators = new Map<string, ValidateFunction>();
  return (reference) => {
    const validator = validators.get(reference) ?? ajv.compile({ $ref: `${name}${reference}` });
    validators.set(reference, validator);
    return validator;
  };
}

function compileDescription(document: OpenApiDocument): CompiledDescription {
  const { schemas } = document.components;
  const content = JSON.stringify(schemas);
  const validatorOf = compilers.get(content) ?? createCompiler(schemas);
  compilers.set(content, validatorOf);
  return {
    document,
    prepare: (references) => references.forEach(validatorOf),
    validate(reference, value, what) {
      const validator = validatorOf(reference);
      if (validator(value)) return;
      const problems = ajv.errorsText(validator.errors, { dataVar: "body", separator: "\n  " });
      throw new Error(
        `${what}, and the API description (${reference}) refuses it:\n  ${problems}\n${JSON.stringify(value)}`,
      );
    },
  };
}

/** The reference to the schema of an answer's body; undefined without a body. */
function schemaOf(document: OpenApiDocument, answer: ObservedAnswer): string | undefined {
  const response = describedResponse(document, answer);
  return answer.method === "HEAD" ? undefined : referenceIn(response?.content);
}

function describedResponse(document: OpenApiDocument, answer: ObservedAnswer): ResponseObject | undefined {
  const { method, path, status } = answer;
  const operation = operationAt(document, method, path);
  if (operation !== undefined) {
    const response = operation.responses[status];
    const known = Object.keys(operation.responses).join(", ");
    if (response !== undefined) return resolve(document, response);
    throw new Error(`${method} ${path} answered ${status}; ${operation.operationId} is described with ${known}.`);
  }
  const isUnknown = findPath(document, path) === undefined;
  const expected = isUnknown ? 404 : 405;
  if (status === expected) return errorResponse;
  throw new Error(`${method} ${path} answered ${status}: what is not described is ${expected}.`);
}

const errorResponse: ResponseObject = {
  description: "",
  content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorBody" }, examples: {} } },
};

function operationAt(document: OpenApiDocument, method: string, path: string): OperationObject | undefined {
  const operations: Readonly<Record<string, OperationObject>> = { ...findPath(document, path) };
  return operations[method === "HEAD" ? "get" : method.toLowerCase()];
}

function referenceIn(content: Content | undefined): string | undefined {
  return content?.["application/json"].schema.$ref;
}

/** Fixed paths take precedence over identifiers, as in the router. */
function findPath(document: OpenApiDocument, path: string): OpenApiDocument["paths"][string] | undefined {
  const called = path.split("?", 1)[0] ?? "";
  const template = Object.keys(document.paths).find((candidate) => {
    const parts = candidate.split("/");
    const given = called.split("/");
    return (
      given.length === parts.length &&
      parts.every((part, at) => part === given[at] || (part === "{id}" && given[at] !== ""))
    );
  });
  return document.paths[called] ?? (template === undefined ? undefined : document.paths[template]);
}

function resolve(document: OpenApiDocument, response: OperationObject["responses"][string]): ResponseObject {
  if (!("$ref" in response)) return response;
  const name = response.$ref.replace("#/components/responses/", "");
  const shared = document.components.responses[name];
  if (shared === undefined) throw new Error(`${response.$ref} is not there.`);
  return shared;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
