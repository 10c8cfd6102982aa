import { touchSettings } from "../../domain/profile/track-profile.js";
import type { Company, Operation as DomainOperation } from "../../sandbox/company/company.js";
import { type Operation, type OperationId, operationOf, successStatus } from "../../contract/operations.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { HttpContext } from "../shared/env.js";
import type { Query } from "../../contract/queries.js";
import type { Profile } from "../../domain/profile/profile.js";
import { createDeferred } from "../../kernel/events.js";
import { type AnswerGate, afterAnswer } from "../shared/after-answer.js";
import { readJsonText } from "../shared/read-body.js";
import { type ApiAnswer, describeProblem, respond } from "./answer.js";
import { answerByRule, nothingDone, replacesWork, useRequestRule } from "./rule-effects.js";
import { type Ruled, type Seen, note, originOf, recordExchange, startRecord } from "./exchange.js";
import { refuse } from "../../domain/model/problem-codes.js";
import { quote } from "../../kernel/text.js";

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
 * The way of every request: token (401), then a rule that has it answered otherwise, rate (429), company (400/403), body (413, 415, 400), then
 * everything that is due, and in one synchronous step shape (400), existence (404), state (422) and conflict (409). The answer leaves when its
 * state is kept.
 */
export function createEndpoint(deps: EndpointDeps, id: OperationId, handler: Handler) {
  const { sandbox } = deps;
  return async (c: HttpContext): Promise<Response> => {
    const seen = startRecord(sandbox);
    const answer = await answerCall(c, deps, id, handler, seen);
    if (seen.ruled !== undefined) return answerByRule(c, sandbox, id, seen, seen.ruled, answer);
    recordExchange(c, sandbox, id, seen, answer);
    return respond(sandbox, seen.company, answer);
  };
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
    const writable = operation.method === "GET" ? undefined : sandbox.writable();
    if (writable !== undefined) await writable;
    const reading = operation.body === "none" ? undefined : readJsonText(c, company.profile.server.bodyLimit);
    // A body that cannot be read is none to a rule; what is wrong with it is said in its turn.
    const said = reading === undefined ? undefined : await reading.catch(() => undefined);
    seen.body = said?.value;
    seen.bodyText = said?.text;
    // A reset while the body came in has put another company in the place of this one.
    if (company.closed) company = seen.company = authenticate(c, sandbox);

    if (company.world.rules.size > 0) {
      company = seen.company = await makeReady(c, sandbox, company);
      const rule = useRequestRule(c, company, seen.body);
      if (rule !== undefined) seen.ruled = { rule, company, returned: createDeferred() };
      if (rule !== undefined && replacesWork(rule.then)) {
        await sandbox.durable();
        return nothingDone;
      }
    }

    const wait = note(seen, () => admit(company));
    if (wait !== undefined) return note(seen, () => describeLimited(sandbox, company, c.req.path, wait));
    note(seen, () => {
      assertPresent(c, company, handler);
      checkCompanyHeader(c, company, operation);
    });
    const body = reading === undefined ? undefined : (await reading)?.value;
    const preparing = handler.prepare?.(company);
    if (preparing !== undefined) await preparing;
    if (company.ready() !== undefined || company.closed) company = seen.company = await makeReady(c, sandbox, company);

    const call = new RequestCall(c, sandbox, company, body, seen.ruled);
    const from = company.record.seq;
    const { stored } = sandbox;
    const result = note(seen, () => handler.handle(call));
    seen.made = { from, to: company.record.seq };
    const changed = sandbox.stored !== stored;
    const ready = call.ready();
    if (ready !== undefined) await ready;
    const durable = sandbox.durable(changed);
    if (durable !== undefined) await durable;
    const status = note(seen, () => successStatus(operation, company.profile));
    // Written once, for the answer and for the journal.
    return { status, body: result, text: result === undefined ? undefined : JSON.stringify(result) };
  } catch (thrown) {
    return note(seen, () => describeProblem(sandbox, seen.company, c.req.path, thrown));
  }
}

/** The company with everything due done. A reset or a restore meanwhile has put another in its place. */
async function makeReady(c: HttpContext, sandbox: Sandbox, company: Company): Promise<Company> {
  for (let due = company.ready(); due !== undefined; due = company.ready()) await due;
  if (!company.closed) return company;
  const standing = authenticate(c, sandbox);
  // The same when it is the whole sandbox that was closed.
  return standing === company ? company : makeReady(c, sandbox, standing);
}

function assertPresent(c: HttpContext, company: Company, { absence }: Handler): void {
  const why = absence?.(company.profile);
  if (why !== undefined) refuse("route_not_found", `There is no ${c.req.method} ${c.req.path} here: ${why}`);
}

/** What few handlers ask for is looked up when they do. A class, since getters of a literal give each object a shape of its own, which is never shared. */
class RequestCall implements Call {
  readonly sandbox: Sandbox;
  readonly company: Company;
  readonly profile: Profile;
  readonly body: unknown;
  readonly #c: HttpContext;
  readonly #ruled: Ruled | undefined;
  #gate: AnswerGate | undefined;

  constructor(c: HttpContext, sandbox: Sandbox, company: Company, body: unknown, ruled: Ruled | undefined) {
    this.sandbox = sandbox;
    this.company = company;
    this.profile = company.profile;
    this.body = body;
    this.#c = c;
    this.#ruled = ruled;
  }

  get query(): Query {
    return this.#c.req.query();
  }

  get id(): string {
    return this.#c.req.param("id") ?? "";
  }

  get checkoutUrl(): string {
    return `${this.sandbox.options.publicUrl ?? originOf(this.#c.req.url)}/checkout/`;
  }

  run<Input, Output>(operation: DomainOperation<Input, Output>, input: Input): Output {
    this.#gate ??= afterAnswer(this.#c, this.sandbox.system, this.#ruled?.returned.promise);
    return this.company.run(operation, input, this.#gate);
  }

  /** What the answer has to wait for; undefined when it may leave. */
  ready(): Promise<unknown> | undefined {
    return this.#gate?.ready();
  }
}

function describeLimited(sandbox: Sandbox, company: Company, path: string, waitMs: number): ApiAnswer {
  const seconds = Math.ceil(waitMs / 1000);
  try {
    refuse("rate_limited", `Too many requests; the next is admitted in ${seconds} s`);
  } catch (problem) {
    return describeProblem(sandbox, company, path, problem, { "retry-after": String(seconds) });
  }
}

const BEARER = /^Bearer +(\S+) *$/i;

/** "Requests carry the header `Authorization: Bearer <ACCESS_TOKEN>`." The token alone selects the company. */
export function authenticate(c: HttpContext, sandbox: Sandbox): Company {
  const token = tokenOf(c);
  const company = token === undefined ? undefined : sandbox.findByToken(token);
  if (company !== undefined) return company;
  if (c.req.header("authorization") === undefined)
    refuse("token_invalid", "Authorization is missing; it must be: Bearer <access token>");
  if (token === undefined) refuse("token_invalid", "Authorization must be: Bearer <access token>");
  refuse("token_invalid", "The access token is unknown or has expired");
}

/** Undefined when there is none, or not as a bearer. */
export function tokenOf(c: HttpContext): string | undefined {
  const header = c.req.header("authorization");
  return header === undefined ? undefined : BEARER.exec(header)?.[1];
}

/** "Charge creation also carries the header `X-Company-Id`. Whether other endpoints need it: not shown." */
export function checkCompanyHeader(c: HttpContext, company: Company, operation: Operation): void {
  const { companyHeader } = company.profile.auth;
  if (companyHeader === "ignored") return;
  const given = c.req.header("x-company-id");
  if (given === undefined || given === "") {
    if (!operation.companyHeader && companyHeader !== "everywhere") return;
    refuse("company_header_missing", `X-Company-Id is missing; it must be ${company.id}, the access token's company`);
  }
  if (given === company.id) return;
  refuse("company_mismatch", `X-Company-Id must be ${company.id}, the access token's company, got ${quote(given)}`);
}

/** How many ms of the company's time until a request is admitted again; undefined when this one is. */
export type AdmitRequest = (company: Company) => number | undefined;

/** "Request rate limits: not shown." Spans follow one another on the company's clock, the first begins with the first request. */
export function createRateLimit(): AdmitRequest {
  const spans = new WeakMap<Company, { startedAt: number; requests: number }>();
  return (company) => {
    const limit = company.profile.rateLimit;
    if (limit === null) return undefined;
    touchSettings(["rateLimit"]);
    const now = company.now();
    const current = spans.get(company);
    const span =
      current === undefined || now - current.startedAt >= limit.perMs ? { startedAt: now, requests: 0 } : current;
    spans.set(company, span);
    if (span.requests >= limit.requests) return span.startedAt + limit.perMs - now;
    span.requests++;
    return undefined;
  };
}
