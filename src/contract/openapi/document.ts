import type * as z from "zod";

/** What the sandbox uses of OpenAPI 3.1, as plain JSON. */

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: readonly SecurityRequirement[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly parameters: Readonly<Record<string, ParameterObject>>;
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
  /** Every setting that is named anywhere in the document. */
  readonly "x-sandbox-settings": Readonly<
    Record<string, Readonly<Record<"summary" | "default" | "contract", unknown>>>
  >;
}

export type JsonSchema = z.core.JSONSchema.BaseSchema;
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;
export type Method = "get" | "post" | "delete";
export type PathItem = { readonly [M in Method]?: OperationObject };

/** What rests on settings says on which. */
export interface Resting {
  readonly "x-sandbox-setting"?: readonly string[];
}

export interface OperationObject extends Resting {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly SecurityRequirement[];
  readonly parameters?: readonly (ParameterObject | Reference)[];
  readonly requestBody?: RequestBodyObject;
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

export interface ParameterObject extends Resting {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface RequestBodyObject {
  readonly required: boolean;
  readonly description?: string;
  readonly content: Content;
}

export interface ResponseObject extends Resting {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: Content;
}

export type Content = Readonly<Record<"application/json", MediaType>>;

export interface MediaType {
  readonly schema: JsonSchema;
  readonly examples: Examples;
}

export type Examples = Readonly<Record<string, Example>>;

export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

/** A description beside `$ref` takes the place of the referenced one's. */
export interface Reference {
  readonly $ref: string;
  readonly description?: string;
}
