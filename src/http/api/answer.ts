import type { OperationId } from "../../contract/operations.js";
import { type SettingReads, touchSettings } from "../../domain/profile/track-profile.js";
import type { Deferred } from "../../kernel/events.js";
import type { Company } from "../../sandbox/company/company.js";
import type { Exchange } from "../../sandbox/company/exchange.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { HttpContext } from "../shared/env.js";
import { isSameSecret } from "../shared/caller.js";
import { whenAnswered } from "../shared/after-answer.js";
import type { RequestFault, RuleOn } from "../../domain/model/rule.js";
import { StoreUnavailable } from "../../adapters/store/store.js";
import { renderErrorAs, statusOfProblem } from "../../contract/problems.js";
import { type ProblemCode, isApiProblem } from "../../domain/model/problem-codes.js";
import { type Instant, toIso } from "../../kernel/time/instant.js";
import { stackOf } from "../../kernel/log.js";
import { VERSION } from "../../kernel/version.js";

export type ExtraHeaders = Readonly<Record<string, string>>;

/** An answer that has not been written yet. */
export interface ApiAnswer {
  readonly status: number;
  /** Undefined when the answer has no content. */
  readonly body: unknown;
  /** Sent instead of the body's JSON. */
  readonly text?: string | undefined;
  /** Keyed by name in lower case. They override the headers that every answer has. */
  readonly headers?: ExtraHeaders | undefined;
  /** Why the request was refused. */
  readonly problem?: ProblemCode | undefined;
  /** The fault that a rule applies to the answer. */
  readonly fault?: RequestFault | undefined;
}

export function respond(sandbox: Sandbox, company: Company | undefined, answer: ApiAnswer): Response {
  const { status, body, text = body === undefined ? undefined : JSON.stringify(body) } = answer;
  return new Response(text ?? null, { status, headers: answerHeaders(sandbox, company, answer) });
}

function answerHeaders(sandbox: Sandbox, company: Company | undefined, { body, text, headers }: ApiAnswer) {
  const own = headersFor(sandbox, company);
  if (body !== undefined || text !== undefined) own["content-type"] = "application/json; charset=utf-8";
  return Object.assign(own, headers);
}

/** The headers that every answer has. */
export function headersFor(sandbox: Sandbox, company: Company | undefined): Record<string, string> {
  if (sandbox.options.productionHeadersOnly) return {};
  return { "x-sandbox": VERSION, "x-sandbox-now": toIso(nowOf(sandbox, company)) };
}

/**
 * Renders an error as the service would answer it. What is not a problem of the API is a bug: it is logged, and answered with 500 without a stack
 * trace.
 */
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

export interface ErrorInput {
  readonly status: number;
  readonly messages: readonly string[];
  readonly correlationId: string;
  readonly path: string;
}

/** The body of an error in the shape that the company's profile sets. A request without a company gets the shape of the default company. */
export function describeError(
  sandbox: Sandbox,
  company: Company | undefined,
  { status, correlationId, path, ...error }: ErrorInput,
): unknown {
  // Messages quote the request, and clients log them, so secrets are redacted.
  const messages = error.messages.map(sandbox.redactorOf(company).text);
  const shape = (company ?? sandbox.fallback)?.profile.errors.shape ?? "envelope";
  return renderErrorAs(shape, status, messages, { correlationId, path, timestamp: toIso(nowOf(sandbox, company)) });
}

/** A store that fails is not a bug: its message says what to do. */
function problemOf(thrown: unknown): { readonly code: ProblemCode; readonly messages: readonly string[] } {
  if (thrown instanceof StoreUnavailable) return { code: "internal", messages: [thrown.message] };
  return isApiProblem(thrown) ? thrown : { code: "internal", messages: [BUG_MESSAGE] };
}

/** Answered in place of a stack trace when the sandbox has a bug. */
export const BUG_MESSAGE = "An error inside the sandbox; its log says more under this correlationId";

export function logBug(
  sandbox: Sandbox,
  company: Company | undefined,
  where: { readonly correlationId: string; readonly path: string },
  thrown: unknown,
): void {
  sandbox.log.write("error", "bug", { ...where, company: company?.id, error: stackOf(thrown) });
}

/** The company's time, or the default company's for a request without one. */
export function nowOf(sandbox: Sandbox, company: Company | undefined): Instant {
  return (company ?? sandbox.fallback)?.now() ?? sandbox.system.now();
}

/** What is known about a request so far, for the journal. */
export interface RequestRecord {
  /** Real time, ms of the machine's monotonic clock. */
  readonly receivedAt: number;
  company: Company | undefined;
  turn: number;
  /** The company's time; undefined when no company has handled the request. */
  at: Instant | undefined;
  body: unknown;
  rawBody: string | undefined;
  ruled: Ruled | undefined;
  made: Exchange["made"];
  readonly settings: Set<string>;
  readonly reads: SettingReads;
}

/** The rule that applies to the request. */
export interface Ruled {
  readonly rule: RuleOn<"request">;
  /** The company that has the rule. */
  readonly company: Company;
  /** Resolves when the answer is sent, or is lost. */
  readonly returned: Deferred;
}

export function startRecord(sandbox: Sandbox): RequestRecord {
  const { system, reads } = sandbox;
  return {
    receivedAt: system.monotonic(),
    company: undefined,
    turn: sandbox.takeTurn(),
    at: undefined,
    body: undefined,
    rawBody: undefined,
    ruled: undefined,
    made: { from: 0, to: 0 },
    settings: new Set(),
    reads,
  };
}

/** Notes the turn and the company's time at which a synchronous part of the request begins. */
export function noteTurn(record: RequestRecord, sandbox: Sandbox, company: Company): void {
  record.turn = sandbox.takeTurn();
  record.at = company.now();
}

/** Notes which settings a synchronous part of the request reads. */
export function noteSettings<T>({ settings, reads }: RequestRecord, run: () => T): T {
  return reads.collect(settings, run);
}

const BEARER = /^Bearer +(\S+) *$/i;

/** Undefined without a bearer token. */
export function tokenOf(c: HttpContext): string | undefined {
  const header = c.req.header("authorization");
  return header === undefined ? undefined : BEARER.exec(header)?.[1];
}

/** The client that has the token of an `Authorization` header: the id of a company, or `*` for the admin token. Undefined for an unknown token. */
export function clientOf(sandbox: Sandbox, header: string): string | undefined {
  const token = BEARER.exec(header)?.[1];
  if (token === undefined) return undefined;
  return sandbox.findHolder(token)?.id ?? (isSameSecret(token, sandbox.options.adminToken ?? "") ? "*" : undefined);
}

/**
 * The company that a request names, even if it may not use it: by its token, even an expired one, or by X-Company-Id. With tenancy only the token
 * counts, because X-Company-Id proves nothing.
 */
export function namedCompany(c: HttpContext, sandbox: Sandbox): Company | undefined {
  const token = tokenOf(c);
  const holder = token === undefined ? undefined : sandbox.findHolder(token);
  if (sandbox.options.tenancy) return holder;
  return holder ?? sandbox.findCompany(c.req.header("x-company-id") ?? "");
}

/** Records the request and its answer, and reports them to the listeners of the sandbox. */
export function recordExchange(
  c: HttpContext,
  sandbox: Sandbox,
  operation: OperationId | undefined,
  { company, turn, at, body, rawBody, ruled, made, receivedAt, settings }: RequestRecord,
  answer: ApiAnswer,
): void {
  const { status, problem, fault } = answer;
  const { method, url } = c.req;
  const lostListeners: (() => void)[] = [];
  const named = company ?? namedCompany(c, sandbox);
  sandbox.recordExchange({
    turn,
    operation,
    company,
    named,
    at: at ?? nowOf(sandbox, named),
    receivedAt,
    method,
    path: url.slice(originOf(url).length),
    headers: headersOf(c),
    connection: c.env?.connection,
    body,
    rawBody,
    status,
    answer: answer.body,
    answerHeaders: answerHeaders(sandbox, company, answer),
    durationMs: sandbox.system.monotonic() - receivedAt,
    problem,
    rule: ruled && { id: ruled.rule.id, name: ruled.rule.name },
    fault,
    made,
    settings: [...settings],
    onLost(listener) {
      if (fault === undefined) lostListeners.push(listener);
      else listener();
    },
  });
  if (lostListeners.length === 0) return;
  whenAnswered(c, (lost) => {
    if (lost) for (const listener of lostListeners) listener();
  });
}

/** `http://host:port` of an absolute URL. */
export function originOf(url: string): string {
  const end = url.indexOf("/", url.indexOf("//") + 2);
  return end === -1 ? url : url.slice(0, end);
}

/** Keyed by name in lower case. A header that was sent several times has all its values. */
export function headersOf(c: HttpContext): Readonly<Record<string, string>> {
  const { incoming } = c.env ?? {};
  if (incoming === undefined) return Object.fromEntries(c.req.raw.headers);
  const headers: Record<string, string> = {};
  for (const name in incoming.headers) headers[name] = String(incoming.headers[name]);
  return headers;
}
