import type * as z from "zod";

/** The parts of OpenAPI 3.1 that the sandbox uses, as plain JSON. */

export interface JsonSchema extends z.core.JSONSchema.BaseSchema {}
export type Method = "get" | "post" | "delete";
export type PathItem = { readonly [M in Method]?: OperationObject };

/** The settings that a part of the description depends on. */
export interface WithSettings {
  readonly "x-sandbox-setting"?: readonly string[];
}

export interface OperationObject extends WithSettings {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (ParameterObject | Reference)[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

export interface ParameterObject extends WithSettings {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface ResponseObject extends WithSettings {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: Content;
}

export interface Content {
  readonly "application/json": { readonly schema: JsonSchema; readonly examples: Examples };
}

export type Examples = Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;

/** A description beside `$ref` replaces that of the referenced object. */
export interface Reference {
  readonly $ref: string;
  readonly description?: string;
}
