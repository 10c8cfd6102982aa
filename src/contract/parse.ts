import type * as z from "zod";
import { refuse } from "../domain/model/problem-codes.js";
import { PROBLEMS_MAX, firstProblems, isSentence, renderPath, valueAt } from "../kernel/fields.js";
import { isSecretPlace, quote } from "../kernel/messages/text.js";

/** Returns the typed input, or refuses with `invalid_request` and one message for each wrong field that says what would be right. */
export function parseRequest<T>(schema: z.ZodType<T>, value: unknown, root = "body"): T {
  const result = schema.safeParse(value);
  return result.success ? result.data : refuse("invalid_request", messagesOf(result.error.issues, value, root));
}

/** One message for each field that is wrong, and for each key that is not allowed there. */
export function messagesOf(issues: readonly z.core.$ZodIssue[], value: unknown, root: string): readonly string[] {
  const byPath = new Map<string, string>();
  const others: string[] = [];
  for (const issue of issues) {
    if (byPath.size + others.length > PROBLEMS_MAX) break;
    const path = renderPath(issue.path);
    if (issue.code === "unrecognized_keys") {
      others.push(...issue.message.split("\n").map((message) => `${path || root} ${message}`));
    } else if (isSentence(issue)) others.push(path === "" ? issue.message : `${path}: ${issue.message}`);
    else if (!byPath.has(path))
      byPath.set(path, `${path || root} ${issue.message}, ${describeGiven(valueAt(value, issue.path), issue.path)}`);
  }
  return firstProblems([...byPath.values(), ...others]);
}

function describeGiven(value: unknown, path: readonly PropertyKey[]): string {
  if (value === undefined) return "but it is missing";
  if (Array.isArray(value)) return `got a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "got an object";
  if (isSecretPlace(path)) return "got something else";
  if (typeof value === "string") return `got ${quote(value)}`;
  // JSON.stringify would render 1e400 as null, and throws for a bigint.
  return `got ${typeof value === "number" || typeof value === "bigint" ? String(value) : JSON.stringify(value)}`;
}
