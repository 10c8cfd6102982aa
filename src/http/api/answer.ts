import { renderError, renderPlainError, statusOfProblem } from "../../contract/problems.js";
import { isApiProblem, type ProblemCode } from "../../domain/problem-codes.js";
import { toIso } from "../../kernel/instant.js";
import { VERSION } from "../../kernel/version.js";
import type { Company } from "../../sandbox/company.js";
import type { Sandbox } from "../../sandbox/sandbox.js";

export type ExtraHeaders = Readonly<Record<string, string>>;

/** `body` undefined: no content. */
export function answerJson(
  sandbox: Sandbox,
  company: Company | undefined,
  status: number,
  body: unknown,
  extra?: ExtraHeaders,
): Response {
  const headers: Record<string, string> = { ...extra };
  if (body !== undefined) headers["content-type"] = "application/json; charset=utf-8";
  if (!sandbox.options.productionHeadersOnly) {
    headers["x-sandbox"] = VERSION;
    headers["x-sandbox-now"] = toIso(nowOf(sandbox, company));
  }
  return new Response(body === undefined ? null : JSON.stringify(body), { status, headers });
}

/** Whatever was thrown, as the service would answer it. What is not a problem of the API is a bug of ours: 500, logged, no stack trace. */
export function answerProblem(
  sandbox: Sandbox,
  company: Company | undefined,
  path: string,
  thrown: unknown,
  extra?: ExtraHeaders,
): Response {
  const correlationId = (company?.ids() ?? sandbox.ids).hex32();
  const { code, messages } = describe(thrown);
  if (code === "internal") {
    const stack = thrown instanceof Error ? thrown.stack : String(thrown);
    sandbox.log.write("error", "bug", { correlationId, path, company: company?.id, error: stack });
  }
  const status = statusOfProblem[code];
  // A request that belongs to no company is answered in the default one's shape.
  const shape = (company ?? sandbox.companies[0])?.profile.errors.shape ?? "envelope";
  const timestamp = toIso(nowOf(sandbox, company));
  const body = shape === "message" ? renderPlainError(messages) : renderError(status, messages, { correlationId, path, timestamp });
  return answerJson(sandbox, company, status, body, extra);
}

function describe(thrown: unknown): { code: ProblemCode; messages: readonly string[] } {
  if (isApiProblem(thrown)) return thrown;
  return { code: "internal", messages: ["An error inside the sandbox; its log says more under this correlationId"] };
}

/** A request that belongs to no company is told the default one's time. */
function nowOf(sandbox: Sandbox, company: Company | undefined): number {
  return (company ?? sandbox.companies[0])?.now() ?? sandbox.system.now();
}
