import type { CompanyHandle } from "./company-handle.js";
import type { AuditReport } from "../audit/reporters/report.js";
import type { SandboxDoor } from "../audit/state/sandbox-orders.js";
import { parseDuration, tryParseDuration } from "../kernel/duration.js";
import { UsageError } from "../kernel/problem.js";
import { systemClock } from "../kernel/system-clock.js";
import { DEFAULT_COMPANY } from "../sandbox/config/options.js";
import { type OptionCheck, findOptionProblems } from "./sandbox-options.js";
import type { DurationInput } from "../domain/profile/profile.js";

/**
 * Audits a webhook receiver: whether it refuses what is forged, accepts what is genuine in whatever bytes it comes, and, with `check`, whether its
 * application is in the right state after duplicates, late ones and events in reverse order. Sends a bounded number of requests to that URL and to no other;
 * follows no redirects.
 *
 * What is wrong with the receiver is in the report. Rejects with `UsageError` for wrong options, and for a receiver or a state that cannot be reached.
 *
 * @param url of the receiver.
 *
 * @example
 * ```ts
 * const report = await audit("http://127.0.0.1:4020/webhooks", { secret: sandbox.secretKey });
 * const failed = report.checks.filter(({ verdict }) => verdict === "fail").map(({ title, seen }) => `${title}: ${seen}`);
 * ```
 */
export async function audit(url: string | URL, options: AuditOptions = {}): Promise<AuditReport> {
  const problems = findOptionProblems(options, checks);
  if (problems.length > 0) {
    throw new UsageError(
      "input",
      problems.map((problem) => `Failed to audit: ${problem}`),
    );
  }
  const { sandbox, event, timeout, only, skip, check, order, header, topic } = options;
  const { runAudit } = await import("../audit/run-audit.js");
  return runAudit({
    url: String(url),
    secret: options.secret ?? sandbox?.secretKey ?? DEFAULT_COMPANY.secretKey,
    header,
    topic,
    check,
    order,
    event: event === undefined ? undefined : eventOf(event),
    sandbox: sandbox === undefined ? undefined : doorOf(sandbox),
    only: only === undefined ? undefined : [only].flat(),
    skip: skip === undefined ? undefined : [skip].flat(),
    timeoutMs: timeout === undefined ? undefined : parseDuration(timeout),
    system: systemClock,
  });
}

function eventOf(event: string | object): { text: string; value: Record<string, unknown> } {
  const text = typeof event === "string" ? event : JSON.stringify(event);
  return { text, value: JSON.parse(text) };
}

function doorOf({ fetch }: NonNullable<AuditOptions["sandbox"]>): SandboxDoor {
  return async (method, path, body) => {
    const answer = await fetch(path, { method, ...(body === undefined ? {} : { json: body }) });
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
  };
}

const text: OptionCheck = (value) =>
  typeof value === "string" && value.trim() !== "" ? undefined : "a text that is not empty";
const source: OptionCheck = (value) =>
  typeof value === "function" || text(value) === undefined ? undefined : "a function, a URL, or a command";
const names: OptionCheck = (value) =>
  [value].flat().every((name) => text(name) === undefined)
    ? undefined
    : "the id of a check or a group, or a list of them";

const checks: Readonly<Record<keyof AuditOptions, OptionCheck>> = {
  secret: text,
  header: (value) =>
    typeof value === "string" && /^[!#$%&'*+.^_`|~\w-]{1,100}$/.test(value) ? undefined : "the name of a header",
  topic: text,
  event: (value) => (isEvent(value) ? undefined : "a JSON object, or its text"),
  check: source,
  order: source,
  sandbox: (value) =>
    typeof value === "object" && value !== null && "fetch" in value && "secretKey" in value
      ? undefined
      : "a sandbox, or a company of one",
  only: names,
  skip: names,
  timeout: (value) => {
    const parsed = tryParseDuration(value);
    return "ms" in parsed && parsed.ms > 0 ? undefined : 'a duration above 0, such as "10s"';
  },
};

function isEvent(value: unknown): boolean {
  if (typeof value !== "string") return typeof value === "object" && value !== null && !Array.isArray(value);
  try {
    return isEvent(JSON.parse(value) ?? undefined) && !/^\s*"/.test(value);
  } catch {
    return false;
  }
}

/** What can be chosen for an audit. Nothing is read from files or the environment unless it is named here. */
export interface AuditOptions {
  /** The secret key that the receiver verifies with. Default: that of `sandbox`, else `secret_sandbox`. */
  readonly secret?: string;
  /** The name of the signature's header. Default `x-service-hmac-sha256`. */
  readonly header?: string;
  /** Of the events, in either spelling. Default `charges/events`. */
  readonly topic?: string;
  /** An event in the place of the audit's own: the exact text, or a value that is printed. */
  readonly event?: string | object;
  /**
   * Tells the state of the receiver's application, for the state checks: a function that returns a number or something else that JSON can tell, a URL, or a
   * command.
   */
  readonly check?: string | (() => unknown);
  /** Makes an order in the receiver's application and tells its charge, `{ id, externalId }`: a function, a URL, or a command. */
  readonly order?: string | (() => unknown);
  /** The sandbox that the receiver's application runs against: the events of the state checks are of charges that are there. */
  readonly sandbox?: Pick<CompanyHandle, "fetch" | "secretKey">;
  /** Ids of checks or groups (`genuine`, `forged`, `robust`, `state`). Default: all. */
  readonly only?: string | readonly string[];
  /** Ids of checks or groups. */
  readonly skip?: string | readonly string[];
  /** How long an answer may take, in real time. Default `10s`. */
  readonly timeout?: DurationInput;
}
