import { isObject } from "../../kernel/messages/json.js";
import { codeOf, reasonOf, redactErrors, UsageError } from "../../kernel/messages/problem.js";
import { oneLine } from "../../kernel/messages/text.js";
import { readText } from "../../kernel/messages/read-text.js";
import { SecretRedactor } from "../../sandbox/observation/redact.js";
import { parseBaseUrl, readToken } from "./values.js";

export interface TargetFlags {
  readonly url?: string;
  readonly company?: string;
  readonly adminToken?: string;
}

/** Where the control API is: from the options, else the `SANDBOX_*` variables. */
export function readTarget(flags: TargetFlags) {
  const fromFlag = flags.url !== undefined;
  const url = flags.url ?? (process.env["SANDBOX_URL"] || "http://127.0.0.1:4010");
  return {
    url: parseBaseUrl(fromFlag ? "--url" : "SANDBOX_URL", url),
    company: flags.company ?? (process.env["SANDBOX_COMPANY_ID"] || undefined),
    adminToken: readToken({ variable: "SANDBOX_ADMIN_TOKEN", flag: "--admin-token", given: flags.adminToken }),
  };
}

/** An undefined `company` means the first company. */
export type ControlTarget = ReturnType<typeof readTarget>;

export interface ControlCall {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: object | string;
}

/** Longer than an advance waits for receivers. */
const TIMEOUT_MS = 120_000;
/** The largest answer is an exported company. */
const ANSWER_BYTES_MAX = 300 * 1024 * 1024;

/**
 * Calls the control API and returns the answer's JSON. Throws UsageError("command-line") for a wrong call or a missing admin token, and
 * UsageError("cannot-run") for any other refusal and for an unreachable sandbox.
 */
export function callControl(target: ControlTarget, call: ControlCall, timeoutMs = TIMEOUT_MS): Promise<unknown> {
  return redactErrors(redactorOf(target).text, () => ask(target, call, timeoutMs));
}

/** The URL may contain the admin token, and another program may repeat what it was sent. */
function redactorOf({ adminToken = "" }: ControlTarget): SecretRedactor {
  return new SecretRedactor([adminToken]);
}

async function ask(target: ControlTarget, { method, path, body }: ControlCall, timeoutMs: number): Promise<unknown> {
  const { url, company, adminToken } = target;
  const query = company === undefined ? "" : `?company=${encodeURIComponent(company)}`;
  const response = await fetch(`${url}/_sandbox${path}${query}`, {
    method,
    headers: {
      ...(adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
    // With "error", Node 20 forgets the signal at a garbage collection.
    redirect: "manual",
  }).catch((error: unknown) => {
    throw new UsageError("cannot-run", `Failed to reach the sandbox at ${url}: ${explain(error)}. ${WHAT_TO_DO}`);
  });
  // Another program may answer with anything.
  const answer = await readText(response, ANSWER_BYTES_MAX)
    .then((text): unknown => JSON.parse(text))
    .catch(() => undefined);
  if (response.ok && answer !== undefined) return answer;
  throw explainRefusal(target, response.status, answer);
}

const WHAT_TO_DO = "Start one with `sandbox start`, or say where it is with --url or SANDBOX_URL.";

export function notASandbox(target: ControlTarget): UsageError {
  const failed = `Failed to understand ${target.url}: it is not a sandbox. ${WHAT_TO_DO}`;
  return new UsageError("cannot-run", redactorOf(target).text(failed));
}

function explainRefusal(target: ControlTarget, status: number, answer: unknown): UsageError {
  const given: readonly unknown[] = isObject(answer) && Array.isArray(answer["message"]) ? answer["message"] : [];
  const messages = given.flatMap((message) => (typeof message === "string" ? oneLine(message) : []));
  if (messages.length === 0) return notASandbox(target);
  if (status === 401) {
    return new UsageError(
      "command-line",
      `The sandbox at ${target.url} needs its admin token. Give it with --admin-token or SANDBOX_ADMIN_TOKEN.`,
    );
  }
  return new UsageError(status === 400 || status === 404 ? "command-line" : "cannot-run", messages);
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no answer within ${TIMEOUT_MS / 1000} s`;
  return reasons[codeOf(error.cause ?? error)] ?? reasonOf(error);
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host name could not be resolved",
  ECONNRESET: "the connection was cut",
  UND_ERR_SOCKET: "the connection was cut",
};
