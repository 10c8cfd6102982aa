/**
 * The three kinds of errors, never mixed:
 *
 * - `Problem`: part of the simulated API. Thrown inside a unit of work it refuses all of it, and is rendered exactly as the service would.
 * - `UsageError`: the person driving the sandbox (flags, files, control API) asked for something impossible. Says what failed, why, and what to
 *   do.
 * - `Bug`: an error of ours. 500, logged, and it fails the test that was running.
 */
export class Problem<Code extends string = string> extends Error {
  override readonly name = "Problem";
  readonly code: Code;
  /** One for each wrong field, with what would be right. */
  readonly messages: readonly string[];

  constructor(code: Code, messages: string | readonly string[]) {
    const list = typeof messages === "string" ? [messages] : messages;
    super(list.join("; "));
    this.code = code;
    this.messages = list;
  }
}

/** Where in a file something is wrong. Lines and columns count from 1. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Decides the exit code of a command and the status of the control API. */
export type UsageErrorKind =
  | "command-line"
  | "file"
  | "cannot-run"
  | "input"
  | "state"
  | "conflict"
  | "not-found"
  | "forbidden"
  | "busy";

export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly kind: UsageErrorKind;
  readonly messages: readonly string[];

  constructor(kind: UsageErrorKind, messages: string | readonly string[], options?: { cause?: unknown }) {
    const list = typeof messages === "string" ? [messages] : messages;
    super(list.join("\n"), options);
    this.kind = kind;
    this.messages = list;
  }
}

/** Runs `work`. The messages of a UsageError that it throws pass through `redact`. */
export async function redactErrors<T>(redact: (text: string) => string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(error.kind, error.messages.map(redact), { cause: error.cause });
  }
}

export class Bug extends Error {
  override readonly name = "Bug";
}

export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(QUOTA_USED_UP, "the disk quota is used up");
}

/** EDQUOT of Linux, for which Node has no name. */
const QUOTA_USED_UP = /^Unknown system error -122(?:: Unknown system error -122)?/;

/** Why something failed, with its causes. The message of a failed `fetch` says nothing: the reason is in its cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // It has one error for each address that was tried. Its own message is empty.
  if (error instanceof AggregateError && error.errors.length > 0)
    return [...new Set(error.errors.map(reasonOf))].join("; ");
  const own = error.message === "" ? error.name : error.message;
  if (!(error.cause instanceof Error)) return own;
  return own === "fetch failed" ? reasonOf(error.cause) : `${own}: ${reasonOf(error.cause)}`;
}

/** The code of an error of the system, such as `ENOENT`; empty when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Makes the compiler report a member of a union that was forgotten. */
export function assertNever(value: never): never {
  throw new Bug(`Unexpected value: ${JSON.stringify(value)}`);
}

/** `file:line:column: message`, the form editors and CI annotations understand. */
export function renderPosition(position: SourcePosition, message: string): string {
  return `${position.file}:${position.line}:${position.column}: ${message}`;
}

/** Why a command could not be started. Node emits some of these errors, such as ENOENT, and throws others, such as ENAMETOOLONG. */
export function whyNotStarted(error: unknown): string {
  return codeOf(error) === "ENOENT" ? "there is no such command" : messageOf(error);
}
