import { stringify } from "yaml";
import type { OpenApiDocument } from "./document.js";

/** The document as YAML: nothing is an alias, and no text that YAML 1.1 would read as a date or a boolean stands without quotes. */
export function renderOpenApiYaml(document: OpenApiDocument): string {
  return stringify(document, { aliasDuplicateObjects: false, compat: "yaml-1.1", blockQuote: "literal", lineWidth: 0 });
}
