import { renderError, renderPlainError, statusOfProblem } from "../../contract/problems.js";
import { isApiProblem, type ProblemCode } from "../../domain/problem-codes.js";
import { toIso } from "../../kernel/instant.js";
import { VERSION } from "../../kernel/version.js";
import type { Company } from "../../sandbox/company.js";
import type { Sandbox } from "../../sandbox/sandbox.js";

export type ExtraHeaders = Readonly<Record<string, string>>;

/** An answer before it is written. `body` undefined: no content. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: ExtraHeaders | undefined;
}

export function respond(sandbox: Sandbox, company: Company | undefined, answer: ApiAnswer): Response {
  const { status, body } = answer;
  const headers: Record<string, string> = { ...answer.headers };
  if (body !== undefined) headers["content-type"] = "application/json; charset=utf-8";
  if (!sandbox.options.productionHeadersOnly) {
    headers["x-sandbox"] = VERSION;
    headers["x-sandbox-now"] = toIso(nowOf(sandbox, company));
  }
  return new Response(body === undefined ? null : JSON.stringify(body), { status, headers });
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
  const { code, messages } = isApiProblem(thrown) ? thrown : internal;
  if (code === "internal") logBug(sandbox, company, { correlationId, path }, thrown);
  const status = statusOfProblem[code];
  // A request that belongs to no company is answered in the default one's shape.
  const shape = (company ?? sandbox.companies[0])?.profile.errors.shape ?? "envelope";
  const timestamp = toIso(nowOf(sandbox, company));
  const body =
    shape === "message"
      ? renderPlainError(messages)
      : renderError(status, messages, { correlationId, path, timestamp });
  return { status, body, headers };
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

/** A request that belongs to no company is told the default one's time. */
function nowOf(sandbox: Sandbox, company: Company | undefined): number {
  return (company ?? sandbox.companies[0])?.now() ?? sandbox.system.now();
}
