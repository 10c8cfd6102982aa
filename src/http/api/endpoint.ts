import { rejectOnceStored, StoreUnavailable } from "../../adapters/store/store.js";
import { type Operation, type OperationId, operations, successStatus } from "../../contract/operations.js";
import type { Query } from "../../contract/queries.js";
import { type ProblemCode, refuse } from "../../domain/model/problem-codes.js";
import type { Profile } from "../../domain/profile/profile.js";
import { touchSettings } from "../../domain/profile/track-profile.js";
import { createDeferred } from "../../kernel/events.js";
import { Problem } from "../../kernel/messages/problem.js";
import { quote } from "../../kernel/messages/text.js";
import type { Company, Operation as DomainOperation } from "../../sandbox/company/company.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { afterAnswer } from "../shared/after-answer.js";
import { MOVING, whenReady } from "../shared/company.js";
import type { HttpContext } from "../shared/env.js";
import { readJson } from "../shared/read-body.js";
import {
  type ApiAnswer,
  type RequestRecord,
  describeError,
  describeProblem,
  namedCompany,
  noteSettings,
  noteTurn,
  originOf,
  recordExchange,
  respond,
  startRecord,
  tokenOf,
} from "./answer.js";
import { answerByRule, nothingDone, replacesWork, useRequestRule } from "./rule-effects.js";

/** One request, read and checked, as a handler sees it. */
interface Call {
  readonly sandbox: Sandbox;
  readonly company: Company;
  readonly profile: Profile;
  /** The parsed JSON; undefined when there was no body. */
  readonly body: unknown;
  readonly query: Query;
  /** The path's `:id`. */
  readonly id: string;
  /** The address below which this caller finds payment pages. */
  readonly checkoutUrl: string;
  /** Runs an operation completely or not at all. Its webhooks are sent once this request is answered. */
  run<Input, Output>(operation: DomainOperation<Input, Output>, input: Input): Output;
}

/**
 * Handles one operation of the API: `handle` parses the request, runs one domain operation and renders its result. It returns the body; undefined for
 * 204.
 */
export interface Handler {
  /** Why the path does not exist under this profile; undefined when it exists. */
  readonly absence?: (profile: Profile) => string | undefined;
  /** Loads what the synchronous step needs. */
  readonly prepare?: (company: Company) => Promise<void> | undefined;
  readonly handle: (call: Call) => unknown;
}

export interface EndpointDeps {
  readonly sandbox: Sandbox;
  readonly admit: AdmitRequest;
}

/**
 * Checks every request in this order: token (401), a rule that replaces the answer, rate (429), company (400, 403), body (413, 415, 400). Then
 * everything due happens, and one synchronous step checks shape (400), existence (404), state (422) and conflict (409). The answer is sent once its
 * changes are stored.
 */
export function createEndpoint(deps: EndpointDeps, id: OperationId, handler: Handler) {
  const { sandbox } = deps;
  return async (c: HttpContext): Promise<Response> => {
    const record = startRecord(sandbox);
    const answering = answerCall(c, deps, operations[id], handler, record);
    const stored = answering.catch((refused: unknown) => rejectOnceStored(sandbox.store, refused));
    const answer = await stored.catch((thrown: unknown) => {
      if (thrown instanceof CompanyMoving) {
        record.company = undefined;
        return describeMoving(sandbox, c.req.path);
      }
      if (thrown instanceof StoreUnavailable) {
        // Then the use of a rule is not stored either.
        record.ruled?.returned.resolve();
        record.ruled = undefined;
      }
      return noteSettings(record, () =>
        describeProblem(sandbox, record.company ?? namedCompany(c, sandbox), c.req.path, thrown),
      );
    });
    if (record.ruled !== undefined) return answerByRule(c, sandbox, id, record, record.ruled, answer);
    recordExchange(c, sandbox, id, record, answer);
    return respond(sandbox, record.company ?? namedCompany(c, sandbox), answer);
  };
}

async function answerCall(
  c: HttpContext,
  { sandbox, admit }: EndpointDeps,
  operation: Operation,
  handler: Handler,
  record: RequestRecord,
): Promise<ApiAnswer> {
  const call: CallStage = { c, sandbox, operation, handler, record };
  const first = (record.company = authenticate(c, sandbox));
  if (operation.method !== "GET") await sandbox.store.writable();
  const keepRaw = (text: string): void => void (record.rawBody = text);
  const reading = operation.body === "none" ? undefined : readJson(c, first.profile.server.bodyLimit, { keepRaw });
  // A rule sees no body when the body cannot be read. That problem is reported later, in its place in the order.
  record.body = await reading?.catch(() => undefined);
  const current = findCurrent(call, first);
  noteTurn(record, sandbox, current);
  const company = current.world.rules.size > 0 ? await applyRule(call, current) : current;
  if (record.ruled !== undefined && replacesWork(record.ruled.rule.then)) {
    await sandbox.store.durable();
    return nothingDone;
  }
  const waitMs = noteSettings(record, () => admit(company));
  if (waitMs !== undefined) return noteSettings(record, () => describeLimited(sandbox, company, c.req.path, waitMs));
  noteSettings(record, () => {
    const absence = handler.absence?.(company.profile);
    if (absence !== undefined) refuse("route_not_found", `There is no ${c.req.method} ${c.req.path} here: ${absence}`);
    checkCompanyHeader(c, company, operation);
  });
  const body = await reading;
  return work(call, company, body);
}

interface CallStage {
  readonly c: HttpContext;
  readonly sandbox: Sandbox;
  readonly operation: Operation;
  readonly handler: Handler;
  readonly record: RequestRecord;
}

/** A reset puts a new company in the place of a closed one. */
function findCurrent({ c, sandbox, record }: CallStage, company: Company): Company {
  return (record.company = company.closed ? authenticate(c, sandbox) : company);
}

/** Notes the rule that applies, if any. Returns the company, which a reset may have replaced. */
async function applyRule(call: CallStage, company: Company): Promise<Company> {
  const { c, sandbox, record } = call;
  const find = (current: Company): Company => findCurrent(call, current);
  return whenReady(company, find, (ready) => {
    noteTurn(record, sandbox, ready);
    const rule = useRequestRule(c, ready, record.body);
    record.ruled = rule && { rule, company: ready, returned: createDeferred() };
    return ready;
  });
}

/** Runs the operation in one synchronous step, once everything due has happened. */
async function work(call: CallStage, company: Company, body: unknown): Promise<ApiAnswer> {
  const { c, sandbox, operation, handler, record } = call;
  const find = (current: Company): Company => findCurrent(call, current);
  const gate = afterAnswer(c, sandbox.system, record.ruled?.returned.promise);
  const act = (ready: Company) => {
    const { profile } = ready;
    noteTurn(record, sandbox, ready);
    const stored = sandbox.store.position;
    const from = ready.record.seq;
    const result = noteSettings(record, () =>
      handler.handle({
        sandbox,
        company: ready,
        profile,
        body,
        query: c.req.query(),
        id: c.req.param("id") ?? "",
        checkoutUrl: `${sandbox.options.publicUrl ?? originOf(c.req.url)}/checkout/`,
        run: (operate, input) => ready.run(operate, input, gate),
      }),
    );
    record.made = { from, to: ready.record.seq };
    const status = noteSettings(record, () => successStatus(operation, profile));
    const text = result === undefined ? undefined : JSON.stringify(result);
    return { answer: { status, body: result, text }, isChanged: sandbox.store.position !== stored };
  };
  const { answer, isChanged } = await whenReady(company, find, act, handler.prepare);
  await gate.ready();
  await sandbox.store.durable(isChanged);
  return answer;
}

function describeLimited(sandbox: Sandbox, company: Company, path: string, waitMs: number): ApiAnswer {
  const seconds = Math.ceil(waitMs / 1000);
  const message = `Too many requests; the next is admitted in ${seconds} s`;
  const problem = new Problem<ProblemCode>("rate_limited", message);
  return describeProblem(sandbox, company, path, problem, { "retry-after": String(seconds) });
}

class CompanyMoving extends Error {}

/** The answer while the company is being moved to another sandbox: neither a problem of the API nor a bug. */
function describeMoving(sandbox: Sandbox, path: string): ApiAnswer {
  const { status, messages, headers } = MOVING;
  const body = describeError(sandbox, undefined, { status, messages, correlationId: sandbox.ids.hex32(), path });
  return { status, body, headers };
}

/** The contract: "Requests carry the header `Authorization: Bearer <ACCESS_TOKEN>`." The token alone selects the company. */
function authenticate(c: HttpContext, sandbox: Sandbox): Company {
  const token = tokenOf(c);
  const company = token === undefined ? undefined : sandbox.findByToken(token);
  if (company !== undefined) return company;
  if (token !== undefined && sandbox.isMoving(token)) throw new CompanyMoving();
  if (c.req.header("authorization") === undefined)
    refuse("token_invalid", "Authorization is missing; it must be: Bearer <access token>");
  if (token === undefined) refuse("token_invalid", "Authorization must be: Bearer <access token>");
  refuse("token_invalid", "The access token is unknown or has expired");
}

/** The contract: "Charge creation also carries the header `X-Company-Id: <COMPANY_ID>`. Whether other endpoints need it: not shown." */
function checkCompanyHeader(c: HttpContext, company: Company, operation: Operation): void {
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

/** How many ms of the company's time until a request is admitted again; undefined when this request is admitted. */
export type AdmitRequest = (company: Company) => number | undefined;

/**
 * The contract: "Request rate limits: not shown." Requests are counted in spans of the company's time; each begins with the first request after the
 * last one ended.
 */
export function createRateLimit(): AdmitRequest {
  const spans = new WeakMap<Company, { startedAt: number; requests: number }>();
  return (company) => {
    const limit = company.profile.rateLimit;
    if (limit === null) return undefined;
    touchSettings(company.profile, ["rateLimit"]);
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
