import type { DurationInput } from "../domain/profile/profile.js";
import type { CompanyHandle } from "./company-handle.js";
import { runAudit } from "../audit/run-audit.js";
import type { AuditReport } from "../audit/report.js";
import type { SandboxDoor } from "../audit/application/sandbox-door.js";
import { parseDuration } from "../kernel/time/duration.js";
import { AUDIT_HEADER } from "../domain/model/rule.js";
import { systemClock } from "../kernel/time/system-clock.js";
import { DEFAULT_COMPANY } from "../sandbox/config/options.js";
import { SecretRedactor } from "../sandbox/observation/redact.js";
import { checkOptions, durationAbove0, valueThat } from "./sandbox-options.js";
import { headerName } from "../domain/profile/setting-kinds.js";
import { isObject } from "../kernel/messages/json.js";
import type * as z from "zod";

/**
 * Audits the webhook receiver at `url`: whether it refuses forged events, accepts genuine ones in any valid encoding, and, with `check`, whether
 * its application is in the right state after duplicate, late and reordered events. Sends a bounded number of requests to that URL only; follows
 * no redirects. Rejects with `UsageError` for wrong options, and for a receiver or a state that cannot be reached.
 *
 * @example
 * ```ts
 * const report = await audit("http://127.0.0.1:4020/webhooks", { secret: sandbox.secretKey });
 * const failed = report.checks.filter(({ verdict }) => verdict === "fail").map(({ title, seen }) => `${title}: ${seen}`);
 * ```
 */
export async function audit(url: string | URL, options: AuditOptions = {}): Promise<AuditReport> {
  checkOptions("audit", options, fields);
  const { sandbox, event, timeout, only, skip, check, order, header, topic, oldSecret, settle, restart } = options;
  const secret = options.secret ?? sandbox?.secretKey ?? DEFAULT_COMPANY.secretKey;
  return runAudit({
    url: String(url),
    secret,
    oldSecret,
    redact: new SecretRedactor([secret, oldSecret ?? "", sandbox?.accessToken ?? ""]).text,
    header,
    topic,
    check,
    order,
    restart,
    settleMs: settle === undefined ? undefined : parseDuration(settle),
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
    const answer = await fetch(path, {
      method,
      headers: { [AUDIT_HEADER]: "1" },
      ...(body === undefined ? {} : { json: body }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
  };
}

const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";
const text = valueThat("a text that is not empty", isText);
const source = valueThat("a function, a URL, or a command", (value) => typeof value === "function" || isText(value));
const names = valueThat("the id of a check or a group, or a list of them", (value) => [value].flat().every(isText));

const fields: Readonly<Record<keyof AuditOptions, z.ZodType>> = {
  secret: text,
  oldSecret: text,
  header: headerName(),
  topic: text,
  event: valueThat("a JSON object, or its text", isEvent),
  check: source,
  order: source,
  settle: durationAbove0,
  restart: source,
  sandbox: valueThat(
    "a sandbox, or a company of one",
    (value) => isObject(value) && ["accessToken", "fetch", "secretKey"].every((name) => name in value),
  ),
  only: names,
  skip: names,
  timeout: durationAbove0,
};

function isEvent(value: unknown): boolean {
  if (typeof value !== "string") return isObject(value);
  try {
    return isEvent(JSON.parse(value) ?? undefined) && !/^\s*"/.test(value);
  } catch {
    return false;
  }
}

/** The options of an audit. It reads no files and no environment variables. */
export interface AuditOptions {
  /** The secret key that the receiver verifies with. Default: that of `sandbox`, else `secret_sandbox`. */
  readonly secret?: string;
  /** The secret key from before the last rotation. The receiver must refuse it. */
  readonly oldSecret?: string;
  /** The name of the signature header. Default `x-service-hmac-sha256`. */
  readonly header?: string;
  /** The topic of the events, in either spelling. Default `charges/events`. */
  readonly topic?: string;
  /** Replaces the audit's own event: the exact text to send, or a value to send as JSON. */
  readonly event?: string | object;
  /** For the state checks: returns the state of the receiver's application as JSON. A function, a URL, or a command. */
  readonly check?: string | (() => unknown);
  /** Makes an order in the receiver's application, and returns a value that contains its charge or transfer. A function, a URL, or a command. */
  readonly order?: string | (() => unknown);
  /** For the state checks: how long the application may keep working after its answers. Default `1s`. */
  readonly settle?: DurationInput;
  /** For the state checks: restarts the receiver's application. A function, or a command. */
  readonly restart?: string | (() => unknown);
  /** The sandbox that the receiver's application uses. The state checks send events of charges that exist there. */
  readonly sandbox?: Pick<CompanyHandle, "accessToken" | "fetch" | "secretKey">;
  /** Ids of the checks or groups (`genuine`, `forged`, `robust`, `state`) to run. Default: all. */
  readonly only?: string | readonly string[];
  /** Ids of the checks or groups to skip. */
  readonly skip?: string | readonly string[];
  /** How long an answer may take, in real time. Default `10s`. */
  readonly timeout?: DurationInput;
}
