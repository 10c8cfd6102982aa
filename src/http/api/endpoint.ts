import { type OperationId, operationOf, successStatus } from "../../contract/operations.js";
import type { Query } from "../../contract/queries-wire.js";
import { refuse } from "../../domain/problem-codes.js";
import type { Profile } from "../../domain/profile/profile.js";
import type { Company, Operation as DomainOperation } from "../../sandbox/company.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { afterAnswer } from "../after-answer.js";
import type { HttpContext } from "../env.js";
import { readJson } from "../read-body.js";
import { type ApiAnswer, describeProblem, respond } from "./answer.js";
import { authenticate, checkCompanyHeader } from "./authenticate.js";
import type { AdmitRequest } from "./rate-limit.js";

/** One request, read and checked, as a handler sees it. */
export interface Call {
  readonly sandbox: Sandbox;
  readonly company: Company;
  readonly profile: Profile;
  /** The parsed JSON; undefined when there was no body. */
  readonly body: unknown;
  readonly query: Query;
  /** The path's `:id`. */
  readonly id: string;
  /** Where payment pages stand, for this caller. */
  readonly checkoutUrl: string;
  /** Everything of the operation or nothing; its webhooks go out once this request is answered. */
  run<Input, Output>(operation: DomainOperation<Input, Output>, input: Input): Output;
}

/** Parses once, runs one operation, renders once. What it returns is the body; undefined for 204. */
export interface Handler {
  /** Why this path does not exist under that profile; undefined when it does. */
  readonly absence?: (profile: Profile) => string | undefined;
  /** What has to be loaded before the synchronous step. */
  readonly prepare?: (company: Company) => Promise<void> | undefined;
  readonly handle: (call: Call) => unknown;
}

export interface EndpointDeps {
  readonly sandbox: Sandbox;
  readonly admit: AdmitRequest;
}

/**
 * The way of every request: token (401), company (400/403), body, then everything that is due, and in one synchronous step shape (400),
 * existence (404), state (422) and conflict (409). The answer leaves when its state is kept.
 */
export function createEndpoint(deps: EndpointDeps, id: OperationId, handler: Handler) {
  const { sandbox } = deps;
  return async (c: HttpContext): Promise<Response> => {
    const seen: Seen = { company: undefined, body: undefined };
    const answer = await answerCall(c, deps, id, handler, seen);
    if (sandbox.isHeard) tell(c, sandbox, id, seen, answer);
    return respond(sandbox, seen.company, answer);
  };
}

/** What was understood of a request, however far it came. */
interface Seen {
  company: Company | undefined;
  body: unknown;
}

async function answerCall(
  c: HttpContext,
  { sandbox, admit }: EndpointDeps,
  id: OperationId,
  handler: Handler,
  seen: Seen,
): Promise<ApiAnswer> {
  const operation = operationOf(id);
  try {
    let company = (seen.company = authenticate(c, sandbox));
    const wait = admit(company);
    if (wait !== undefined) return describeLimited(sandbox, company, c.req.path, wait);
    assertPresent(c, company, handler);
    checkCompanyHeader(c, company, operation);
    const { profile } = company;
    const body = operation.body === "none" ? undefined : await readJson(c, profile.server.bodyLimit);
    seen.body = body;
    // A reset while the body came in has put another company in the place of this one.
    if (company.closed) company = seen.company = authenticate(c, sandbox);
    await handler.prepare?.(company);
    for (let due = company.ready(); due !== undefined; due = company.ready()) await due;
    const result = handler.handle(createCall(c, sandbox, company, body));
    await sandbox.durable();
    return { status: successStatus(operation, profile), body: result };
  } catch (thrown) {
    return describeProblem(sandbox, seen.company, c.req.path, thrown);
  }
}

function tell(
  c: HttpContext,
  sandbox: Sandbox,
  operation: OperationId,
  { company, body }: Seen,
  answer: ApiAnswer,
): void {
  const { method, url } = c.req;
  const path = url.slice(originOf(url).length);
  const at = (company ?? sandbox.defaultCompany).now();
  const header = (name: string): string | undefined => c.req.header(name);
  sandbox.tell({ operation, company, at, method, path, header, body, status: answer.status, answer: answer.body });
}

function assertPresent(c: HttpContext, company: Company, { absence }: Handler): void {
  const why = absence?.(company.profile);
  if (why !== undefined) refuse("route_not_found", `There is no ${c.req.method} ${c.req.path} here: ${why}`);
}

function createCall(c: HttpContext, sandbox: Sandbox, company: Company, body: unknown): Call {
  const gate = afterAnswer(c, sandbox.system);
  return {
    sandbox,
    company,
    profile: company.profile,
    body,
    get query() {
      return c.req.query();
    },
    get id() {
      return c.req.param("id") ?? "";
    },
    get checkoutUrl() {
      return `${sandbox.options.publicUrl ?? originOf(c.req.url)}/checkout/`;
    },
    run: (domainOperation, input) => company.run(domainOperation, input, gate),
  };
}

/** `http://host:port` of an absolute URL, cheaper than parsing it: this runs on every charge that is created. */
function originOf(url: string): string {
  const end = url.indexOf("/", url.indexOf("//") + 2);
  return end === -1 ? url : url.slice(0, end);
}

function describeLimited(sandbox: Sandbox, company: Company, path: string, waitMs: number): ApiAnswer {
  const seconds = Math.ceil(waitMs / 1000);
  try {
    refuse("rate_limited", `Too many requests; the next is admitted in ${seconds} s`);
  } catch (problem) {
    return describeProblem(sandbox, company, path, problem, { "retry-after": String(seconds) });
  }
}
