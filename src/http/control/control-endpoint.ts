import { rejectOnceStored, StoreUnavailable } from "../../adapters/store/store.js";
import { type ErrorStatus, renderError, statusOfProblem } from "../../contract/problems.js";
import { isApiProblem } from "../../domain/model/problem-codes.js";
import { toIso } from "../../kernel/time/instant.js";
import { IllegalTransition } from "../../kernel/records/lifecycle.js";
import { UsageError, type UsageErrorKind } from "../../kernel/messages/problem.js";
import { jsonBytes } from "../../kernel/messages/json.js";
import { didYouMean } from "../../kernel/messages/suggest.js";
import { quote } from "../../kernel/messages/text.js";
import type { Company } from "../../sandbox/company/company.js";
import { STATE_BYTES_MAX } from "../../sandbox/state/state.js";
import type { ReleaseGate } from "../../sandbox/company/release-gate.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { BUG_MESSAGE, logBug, nowOf, respond } from "../api/answer.js";
import { afterAnswer, endOf } from "../shared/after-answer.js";
import { type Scope, reach, reachCompany } from "../shared/caller.js";
import { whenReady } from "../shared/company.js";
import type { HttpContext } from "../shared/env.js";
import { readBytes, readJson } from "../shared/read-body.js";
import { CONTROL_BODY_LIMIT, type ControlCall, type ControlRoute, type Refusal } from "./control-route.js";
import type { ReserveBody } from "./guards.js";

/**
 * Checks the company (403, 404), the query parameters (400) and the body (413, 415, 400), waits until everything due has happened, and calls the
 * handler. The answer is sent once its changes are stored.
 */
export function createControlEndpoint(sandbox: Sandbox, route: ControlRoute, reserveBody: ReserveBody) {
  const writes = route.method !== "GET";
  const status = route.success ?? (route.method === "DELETE" ? 204 : 200);
  return async (c: HttpContext): Promise<Response> => {
    let company: Company | undefined;
    try {
      company = reachOf(c, sandbox, route);
      c.set("companyId", company?.id);
      assertKnownParameters(c.req.query(), route);
      if (writes) await sandbox.store.writable();
      const gate = afterAnswer(c, sandbox.system);
      const release = reserveBody(c, route.bodyLimit ?? CONTROL_BODY_LIMIT);
      const call = await readCall(c, sandbox, route, gate, company).finally(release);
      const result = await handle(call, route);
      assertFits(result);
      await gate.ready();
      await sandbox.store.durable(writes);
      if (result instanceof Response) return result;
      return respond(sandbox, current(sandbox, company), { status, body: result });
    } catch (thrown) {
      return answerThrown(sandbox, current(sandbox, company), c.req.path, thrown);
    }
  };
}

const scopes = { selected: "company", path: "company", all: "companies", none: "sandbox" } as const satisfies Record<
  ControlRoute["company"],
  Scope
>;

function reachOf(c: HttpContext, sandbox: Sandbox, { company, access }: ControlRoute): Company | undefined {
  if (access === "anyone") return undefined;
  const { caller } = c.var;
  return reach(sandbox, caller, scopes[company], company === "path" ? c.req.param("id") : c.req.query("company"));
}

/** As large as a state may be, and far below the longest possible string. */
const ANSWER_BYTES_MAX = STATE_BYTES_MAX;

/** Throws UsageError("state") when the answer's JSON cannot be written. */
function assertFits(result: unknown): void {
  if (result === undefined || result instanceof Response || jsonBytes(result, ANSWER_BYTES_MAX) <= ANSWER_BYTES_MAX)
    return;
  const why = `it has more than ${ANSWER_BYTES_MAX} bytes`;
  throw new UsageError("state", `Failed to write the answer: ${why}. Ask for less, or reset the company now and then.`);
}

async function handle(call: ControlCall, route: ControlRoute): Promise<unknown> {
  const { sandbox, caller } = call;
  const { id } = call.company ?? {};
  // A reset may have replaced the company meanwhile.
  const find = (): Company => reachCompany(sandbox, caller, id);
  if (route.company === "none" || route.company === "all")
    return reporting(call, route, undefined, () => route.handle({ ...call, company: id === undefined ? id : find() }));
  return whenReady(find(), find, (company) =>
    reporting(call, route, company, () =>
      route.handle({ ...call, company, run: (operation, input) => company.run(operation, input, call.gate) }),
    ),
  );
}

/** Reports a changing call to the listeners of the sandbox when it has succeeded. */
async function reporting(
  { sandbox, companyId, id, body }: ControlCall,
  { method, path }: ControlRoute,
  company: Company | undefined,
  work: () => unknown,
): Promise<unknown> {
  const turn = sandbox.takeTurn();
  const at = company?.now();
  const answer = await work();
  const isRefused = answer instanceof Response && !answer.ok;
  if (method === "GET" || isRefused) return answer;
  const route = `${method} ${path}`;
  sandbox.events.emit("controlled", { turn, companyId: company?.id ?? companyId, at, route, id, body, answer });
  return answer;
}

async function readCall(
  c: HttpContext,
  sandbox: Sandbox,
  route: ControlRoute,
  gate: ReleaseGate,
  company: Company | undefined,
): Promise<ControlCall> {
  const { bodyLimit = CONTROL_BODY_LIMIT, bounds, takesJson, takesBytes } = route;
  const { company: named, ...query } = c.req.query();
  const companyId = named ?? (route.access === "anyone" ? undefined : c.var.caller.tenant);
  return {
    sandbox,
    caller: c.var.caller,
    company,
    companyId,
    query,
    id: c.req.param("id") ?? "",
    body: takesJson ? await readJson(c, bodyLimit, bounds && { bounds }) : undefined,
    bytes: takesBytes ? await readBytes(c, bodyLimit) : Buffer.alloc(0),
    ended: () => endOf(c),
    gate,
    refuse: (refusal) => answerRefusal(sandbox, current(sandbox, company), c.req.path, refusal),
  };
}

/** A misspelt parameter would select nothing or, worse, everything. */
function assertKnownParameters(given: Readonly<Record<string, string>>, route: ControlRoute): void {
  const known = ["company", ...route.parameters];
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new UsageError(
    "input",
    unknown.map((name) => `query has no ${quote(name)}, only ${known.join(", ")}.${didYouMean(name, known)}`),
  );
}

/** The company whose time the answer shows: a reset or a restored state replaces it under the same id. */
function current(sandbox: Sandbox, company: Company | undefined): Company | undefined {
  return company && sandbox.findCompany(company.id);
}

/** The correlation id comes from the sandbox's ids, not from the company's: a wrong call must not change the ids that the company makes next. */
export function answerRefusal(
  sandbox: Sandbox,
  company: Company | undefined,
  path: string,
  refusal: Refusal,
  correlationId = sandbox.ids.hex32(),
): Response {
  const { status, headers, more } = refusal;
  const messages = refusal.messages.map(sandbox.redactorOf(company).text);
  const timestamp = toIso(nowOf(sandbox, company));
  const body = renderError(status, messages, { correlationId, path, timestamp });
  return respond(sandbox, company, { status, body: { ...body, ...more }, headers });
}

/**
 * Answers any error, once everything that it may report is stored. What is neither a refusal of the API nor a usage error is a bug: it is logged, and
 * answered with 500 without a stack trace.
 */
export async function answerThrown(sandbox: Sandbox, company: Company | undefined, path: string, given: unknown) {
  const thrown = await rejectOnceStored(sandbox.store, given).catch((refused: unknown) => refused);
  const correlationId = sandbox.ids.hex32();
  const refusal = refusalOf(thrown);
  if (refusal.status === 500 && !(thrown instanceof StoreUnavailable))
    logBug(sandbox, company, { correlationId, path }, thrown);
  return answerRefusal(sandbox, company, path, refusal, correlationId);
}

/** The answer to an error. */
export function refusalOf(thrown: unknown): Refusal {
  if (thrown instanceof UsageError) {
    const { kind, messages } = thrown;
    const headers = kind === "busy" ? { headers: { "retry-after": RETRY_AFTER_S } } : {};
    return { status: statusOfUsage[kind], messages, ...headers };
  }
  if (thrown instanceof IllegalTransition) return { status: 422, messages: [thrown.message] };
  if (thrown instanceof StoreUnavailable) return { status: 500, messages: [thrown.message] };
  if (!isApiProblem(thrown)) return { status: 500, messages: [BUG_MESSAGE] };
  const status = statusOfProblem[thrown.code];
  // Wrong input is 400, a wrong state 422. A conflict is a wrong state too.
  return { status: status === 409 ? 422 : status, messages: thrown.messages };
}

/** When a client that was refused may try again, seconds. */
const RETRY_AFTER_S = "1";

const statusOfUsage: Readonly<Record<UsageErrorKind, ErrorStatus>> = {
  input: 400,
  "command-line": 400,
  file: 400,
  "not-found": 404,
  state: 422,
  conflict: 409,
  "cannot-run": 422,
  busy: 429,
  forbidden: 403,
};
