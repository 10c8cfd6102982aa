import type { z } from "zod";
import type { Profile } from "../domain/profile/profile.js";
import { refuse } from "../domain/problem-codes.js";

/** A schema that depends on settings (bounds, what is required), built once per profile. */
export function perProfile<T>(build: (profile: Profile) => z.ZodType<T>): (profile: Profile) => z.ZodType<T> {
  const built = new WeakMap<Profile, z.ZodType<T>>();
  return (profile) => {
    const schema = built.get(profile) ?? build(profile);
    built.set(profile, schema);
    return schema;
  };
}

/** The typed input, or `invalid_request` with one message for each field that is wrong: all of them, each saying what would be right. */
export function parseRequest<T>(schema: z.ZodType<T>, value: unknown, root = "body"): T {
  const result = schema.safeParse(value);
  return result.success ? result.data : refuse("invalid_request", messagesOf(result.error.issues, value, root));
}

function messagesOf(issues: readonly z.core.$ZodIssue[], value: unknown, root: string): string[] {
  const byPath = new Map<string, string>();
  for (const issue of issues) {
    const path = renderPath(issue.path);
    if (!byPath.has(path)) byPath.set(path, `${path || root} ${issue.message}, ${gotWhat(valueAt(value, issue.path))}`);
  }
  return [...byPath.values()];
}

function renderPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined),
    value,
  );
}

const QUOTED_CHARACTERS_MAX = 60;

/** What stood there, briefly: enough to recognise it, never a whole body. */
function gotWhat(value: unknown): string {
  if (value === undefined) return "but it is missing";
  if (Array.isArray(value)) return `got a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "got an object";
  // JSON.stringify would call 1e400 null.
  const text = typeof value === "number" ? String(value) : JSON.stringify(value);
  return `got ${text.length > QUOTED_CHARACTERS_MAX ? `${text.slice(0, QUOTED_CHARACTERS_MAX)}…` : text}`;
}
