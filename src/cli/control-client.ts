import { UsageError, type UsageErrorKind } from "../kernel/problem.js";

/** A running sandbox's control API, as a command sees it. */
export interface ControlTarget {
  /** Without a slash at the end. */
  readonly url: string;
  /** undefined: the sandbox's first one. */
  readonly company: string | undefined;
  readonly adminToken: string | undefined;
}

export interface ControlCall {
  readonly method: "GET" | "POST" | "PUT";
  /** `/clock/advance` */
  readonly path: string;
  readonly body?: object;
}

/** Longer than an advance waits for hanging receivers by itself. */
const TIMEOUT_MS = 120_000;

/** The answer's JSON. Throws UsageError: what it refuses is the caller's mistake, a sandbox that is not there is `cannot-run`. */
export async function callControl(target: ControlTarget, { method, path, body }: ControlCall): Promise<unknown> {
  const { url, company, adminToken } = target;
  const query = company === undefined ? "" : `?company=${encodeURIComponent(company)}`;
  const response = await fetch(`${url}/_sandbox${path}${query}`, {
    method,
    headers: {
      ...(adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: "error",
  }).catch((error: unknown) => {
    throw new UsageError("cannot-run", `Failed to reach the sandbox at ${url}: ${reasonOf(error)}. ${WHAT_TO_DO}`);
  });
  const answer = await readJson(response);
  if (response.ok && answer !== undefined) return answer;
  throw explainRefusal(target, response.status, answer);
}

const WHAT_TO_DO = "Start one with `sandbox start`, or say where it is with --url or SANDBOX_URL.";

/** What is not the sandbox's answer: another program listens there. */
export function notASandbox(url: string): UsageError {
  return new UsageError(
    "cannot-run",
    `Failed to understand ${url}: what answers there is not a sandbox. ${WHAT_TO_DO}`,
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** undefined: it is not JSON. */
async function readJson(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await response.text());
  } catch {
    return undefined;
  }
}

function explainRefusal({ url }: ControlTarget, status: number, answer: unknown): UsageError {
  const messages = isObject(answer) && Array.isArray(answer["message"]) ? answer["message"].map(String) : [];
  if (messages.length === 0) return notASandbox(url);
  if (status === 401) {
    return new UsageError(
      "command-line",
      `The sandbox at ${url} wants its admin token. Give it with --admin-token or SANDBOX_ADMIN_TOKEN.`,
    );
  }
  return new UsageError(kindOf(status), messages);
}

function kindOf(status: number): UsageErrorKind {
  return status === 400 || status === 404 ? "command-line" : "cannot-run";
}

/** fetch itself says "fetch failed"; why is in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no answer within ${TIMEOUT_MS / 1000} s`;
  const { cause = error } = error;
  const code = isObject(cause) && typeof cause["code"] === "string" ? cause["code"] : "";
  return reasons[code] ?? (cause instanceof Error && cause.message !== "" ? cause.message : code);
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name could not be looked up",
  ECONNRESET: "the connection was cut",
  UND_ERR_SOCKET: "the connection was cut",
};
