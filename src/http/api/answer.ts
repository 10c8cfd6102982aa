import { StoreUnavailable } from "../../adapters/store/store.js";
import { renderError, renderPlainError, statusOfProblem } from "../../contract/problems.js";
import { isApiProblem, type ProblemCode } from "../../domain/model/problem-codes.js";
import { touchSettings } from "../../domain/profile/track-profile.js";
import type { RequestFault } from "../../domain/model/rule.js";
import { type Instant, toIso } from "../../kernel/instant.js";
import { VERSION } from "../../kernel/version.js";
import type { Company } from "../../sandbox/company/company.js";
import type { Sandbox } from "../../sandbox/sandbox.js";

export type ExtraHeaders = Readonly<Record<string, string>>;

/** An answer before it is written. */
export interface ApiAnswer {
  readonly status: number;
  /** Undefined: no content. */
  readonly body: unknown;
  /** Sent in the place of the body's JSON. */
  readonly text?: string | undefined;
  /** By their names in lower case; they go before those that every answer has. */
  readonly headers?: ExtraHeaders | undefined;
  /** Why the request was refused. */
  readonly problem?: ProblemCode | undefined;
  /** What a rule does to it. */
  readonly fault?: RequestFault | undefined;
}

export function respond(sandbox: Sandbox, company: Company | undefined, answer: ApiAnswer): Response {
  const { status, body, text = body === undefined ? undefined : JSON.stringify(body), headers } = answer;
  const type = text === undefined ? {} : { "content-type": "application/json; charset=utf-8" };
  return new Response(text ?? null, { status, headers: { ...type, ...headersFor(sandbox, company), ...headers } });
}

/** What every answer has. */
export function headersFor(sandbox: Sandbox, company: Company | undefined): ExtraHeaders {
  if (sandbox.options.productionHeadersOnly) return {};
  return { "x-sandbox": VERSION, "x-sandbox-now": toIso(nowOf(sandbox, company)) };
}

/** `body` undefined: no content. */
export function answerJson(
  sandbox: Sandbox,
  company: Company | undefined,
  status: number,
  body: unknown,
  extra?: ExtraHeaders,
): Response {
  return respond(sandbox, company, { status, body, headers: extra });
}

export function answerProblem(
  sandbox: Sandbox,
  company: Company | undefined,
  path: string,
  thrown: unknown,
  extra?: ExtraHeaders,
): Response {
  return respond(sandbox, company, describeProblem(sandbox, company, path, thrown, extra));
}

/** Whatever was thrown, as the service would answer it. What is not a problem of the API is a bug of ours: 500, logged, no stack trace. */
export function describeProblem(
  sandbox: Sandbox,
  company: Company | undefined,
  path: string,
  thrown: unknown,
  headers?: ExtraHeaders,
): ApiAnswer {
  const correlationId = (company?.ids() ?? sandbox.ids).hex32();
  const { code, messages } = problemOf(thrown);
  if (code === "internal" && !(thrown instanceof StoreUnavailable))
    logBug(sandbox, company, { correlationId, path }, thrown);
  if (code === "body_too_large" && company) touchSettings(company.profile, ["server.bodyLimit"]);
  const status = statusOfProblem[code];
  const body = describeError(sandbox, company, { status, messages, correlationId, path });
  return { status, body, headers, problem: code };
}

/** The body of an error in the company's shape. A request that belongs to no company is answered in the default one's. */
export function describeError(
  sandbox: Sandbox,
  company: Company | undefined,
  error: { readonly status: number; readonly messages: readonly string[]; correlationId: string; path: string },
): unknown {
  const { status, correlationId, path } = error;
  // Messages quote the request, and clients log them.
  const messages = error.messages.map(sandbox.redactor.text);
  const shape = (company ?? sandbox.companies[0])?.profile.errors.shape ?? "envelope";
  if (shape === "message") return renderPlainError(messages);
  return renderError(status, messages, { correlationId, path, timestamp: toIso(nowOf(sandbox, company)) });
}

/** A store that fails is not a bug: its message says what to do. */
export function problemOf(thrown: unknown): { readonly code: ProblemCode; readonly messages: readonly string[] } {
  if (thrown instanceof StoreUnavailable) return { code: "internal", messages: [thrown.message] };
  return isApiProblem(thrown) ? thrown : internal;
}

/** How a bug of ours is answered: never with a stack trace. */
export const internal: { readonly code: ProblemCode; readonly messages: readonly string[] } = {
  code: "internal",
  messages: ["An error inside the sandbox; its log says more under this correlationId"],
};

export function logBug(
  sandbox: Sandbox,
  company: Company | undefined,
  where: { readonly correlationId: string; readonly path: string },
  thrown: unknown,
): void {
  const stack = thrown instanceof Error ? thrown.stack : String(thrown);
  sandbox.log.write("error", "bug", { ...where, company: company?.id, error: stack });
}

/** The company's time, or the default company's for a request without one. */
export function nowOf(sandbox: Sandbox, company: Company | undefined): Instant {
  return (company ?? sandbox.companies[0])?.now() ?? sandbox.system.now();
}
