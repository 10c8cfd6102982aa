import { didYouMean, pathsLike } from "../kernel/messages/suggest.js";
import { operationIds, operations } from "./operations.js";

const PREFIX = "/v1/";
const templates = [...new Set(operationIds.map((id) => operations[id].path))];

/** `There is no GET /charge/x here. Did you mean "/v1/charges/x"?` */
export function describeUnknownPath(method: string, path: string): string {
  return `There is no ${method} ${path} here${suggestPath(path)}`;
}

/** Whether a path that the API does not have is near one that it has. */
export function resemblesApiPath(path: string): boolean {
  return suggestPath(path) !== "";
}

/** Suggests a path even when the prefix is missing, comes twice, or follows another one. */
function suggestPath(path: string): string {
  const meant = PREFIX + path.slice(path.includes(PREFIX) ? path.lastIndexOf(PREFIX) + PREFIX.length : 1);
  const hint = didYouMean(meant, pathsLike(meant, templates));
  return hint === "" ? "" : `.${hint}`;
}
