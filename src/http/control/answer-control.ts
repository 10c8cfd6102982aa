import { StoreUnavailable } from "../../adapters/store/store.js";
import { type ErrorStatus, renderError, statusOfProblem } from "../../contract/problems.js";
import { isApiProblem } from "../../domain/model/problem-codes.js";
import { toIso } from "../../kernel/instant.js";
import { IllegalTransition } from "../../kernel/lifecycle.js";
import { UsageError, type UsageErrorKind } from "../../kernel/problem.js";
import type { Company } from "../../sandbox/company/company.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { answerJson, type ExtraHeaders, internal, logBug } from "../api/answer.js";

export interface Refusal {
  readonly status: ErrorStatus;
  readonly messages: readonly string[];
  readonly headers?: ExtraHeaders;
  /** Members of the body beside those that every error has. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export function answerRefusal(
  sandbox: Sandbox,
  company: Company | undefined,
  path: string,
  refusal: Refusal,
): Response {
  return answerWithId(sandbox, company, path, refusal, sandbox.ids.hex32());
}

/** Whatever was thrown. What is neither the API's refusal nor a wrong use is a bug of ours: 500, logged, no stack trace. */
export function answerThrown(sandbox: Sandbox, company: Company | undefined, path: string, thrown: unknown): Response {
  // Of the sandbox's own stream: a wrong call does not change which ids the company makes next.
  const correlationId = sandbox.ids.hex32();
  const refusal = refusalOf(thrown);
  if (refusal.status === 500 && !(thrown instanceof StoreUnavailable))
    logBug(sandbox, company, { correlationId, path }, thrown);
  return answerWithId(sandbox, company, path, refusal, correlationId);
}

function answerWithId(
  sandbox: Sandbox,
  company: Company | undefined,
  path: string,
  refusal: Refusal,
  correlationId: string,
): Response {
  const { status, headers, more } = refusal;
  const messages = refusal.messages.map(sandbox.redactor.text);
  const at = (company ?? sandbox.companies[0])?.now() ?? sandbox.system.now();
  const body = renderError(status, messages, { correlationId, path, timestamp: toIso(at) });
  return answerJson(sandbox, company, status, { ...body, ...more }, headers);
}

/** What whoever threw it would be answered. */
export function refusalOf(thrown: unknown): Refusal {
  if (thrown instanceof UsageError) return { status: statusOfUsage[thrown.kind], messages: thrown.messages };
  if (thrown instanceof IllegalTransition) return { status: 422, messages: [thrown.message] };
  if (thrown instanceof StoreUnavailable) return { status: 500, messages: [thrown.message] };
  if (!isApiProblem(thrown)) return { status: 500, messages: internal.messages };
  const status = statusOfProblem[thrown.code];
  // "wrong input is 400, a wrong state 422": a conflict is a state too.
  return { status: status === 409 ? 422 : status, messages: thrown.messages };
}

const statusOfUsage: Readonly<Record<UsageErrorKind, ErrorStatus>> = {
  input: 400,
  "command-line": 400,
  file: 400,
  "not-found": 404,
  state: 422,
  "cannot-run": 422,
};
