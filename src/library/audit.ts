import type { AuditReport } from "../audit/reporters/report.js";
import type { SandboxDoor } from "../audit/state/sandbox-orders.js";
import { parseDuration, tryParseDuration } from "../kernel/duration.js";
import { UsageError } from "../kernel/problem.js";
import { systemClock } from "../kernel/system-clock.js";
import { DEFAULT_COMPANY } from "../sandbox/config/options.js";
import type { AuditOptions } from "./audit-options.js";
import { findOptionProblems, type OptionCheck } from "./check-options.js";

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
