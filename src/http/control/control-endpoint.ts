import { UsageError } from "../../kernel/problem.js";
import { quote } from "../../kernel/text.js";
import { didYouMean } from "../../kernel/suggest.js";
import type { Company } from "../../sandbox/company/company.js";
import type { ReleaseGate } from "../../sandbox/delivery/release-gate.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { afterAnswer } from "../shared/after-answer.js";
import { answerJson } from "../api/answer.js";
import type { HttpContext } from "../shared/env.js";
import { readBytes, readJson } from "../shared/read-body.js";
import { answerRefusal, answerThrown } from "./answer-control.js";
import { CONTROL_BODY_LIMIT, type ControlCall, type ControlRoute } from "./control-route.js";

/**
 * The way of every call that has a path and a method: query parameters (400), company (404), body (413, 415, 400), then everything that is due, and
 * the handler. The answer leaves when its state is kept.
 */
export function createControlEndpoint(sandbox: Sandbox, route: ControlRoute) {
  const writes = route.method !== "GET";
  return async (c: HttpContext): Promise<Response> => {
    let company: Company | undefined;
    try {
      assertKnownParameters(c.req.query(), route);
      if (route.company !== "none") company = selectCompany(sandbox, companyIdOf(c, route));
      if (writes) await sandbox.writable();
      const gate = afterAnswer(c, sandbox.system);
      const call = await readCall(c, sandbox, route, gate);
      const result = await handle(call, route, company);
      await gate.ready();
      await sandbox.durable(writes);
      if (result instanceof Response) return result;
      return answerJson(sandbox, current(c, sandbox, company), route.success ?? 200, result);
    } catch (thrown) {
      return answerThrown(sandbox, current(c, sandbox, company), c.req.path, thrown);
    }
  };
}

/** "default is the first configured one; an unknown id is 404, never a default". */
export function selectCompany(sandbox: Sandbox, id: string | undefined): Company {
  if (id === undefined) return sandbox.defaultCompany;
  const company = sandbox.findCompany(id);
  if (company !== undefined) return company;
  const known = sandbox.companies.map((other) => other.id);
  throw new UsageError("not-found", `No company has the id ${quote(id)}.${didYouMean(id, known)}`);
}

/** "Before any request is handled, everything due at or before the company's now has happened." */
export async function makeReady(company: Company): Promise<void> {
  for (let due = company.ready(); due !== undefined; due = company.ready()) await due;
}

async function handle(call: ControlCall, route: ControlRoute, selected: Company | undefined): Promise<unknown> {
  if (route.company === "none" || selected === undefined)
    return route.company === "none" ? route.handle(call) : undefined;
  let company = selected;
  for (;;) {
    await makeReady(company);
    const standing = selectCompany(call.sandbox, company.id);
    if (standing === company) break;
    // A reset, a restore or a state put in has put another company in its place: what is done to this one would be seen by nobody.
    company = standing;
  }
  return route.handle({ ...call, company, run: (operation, input) => company.run(operation, input, call.gate) });
}

async function readCall(
  c: HttpContext,
  sandbox: Sandbox,
  route: ControlRoute,
  gate: ReleaseGate,
): Promise<ControlCall> {
  const { bodyLimit = CONTROL_BODY_LIMIT, bounds, takes } = route;
  const { company: companyId, ...query } = c.req.query();
  return {
    sandbox,
    companyId,
    query,
    id: c.req.param("id") ?? "",
    body: takes === "json" ? await readJson(c, bodyLimit, bounds) : undefined,
    bytes: takes === "bytes" ? await readBytes(c, bodyLimit) : Buffer.alloc(0),
    signal: c.req.raw.signal,
    stopping: c.env?.stopping,
    gate,
    refuse: (refusal) => answerRefusal(sandbox, current(c, sandbox, undefined), c.req.path, refusal),
  };
}

function companyIdOf(c: HttpContext, route: ControlRoute): string | undefined {
  return route.company === "path" ? c.req.param("id") : c.req.query("company");
}

/** A parameter that is spelt wrongly would select nothing, or worse, everything. */
function assertKnownParameters(given: Readonly<Record<string, string>>, route: ControlRoute): void {
  const known = ["company", ...(route.query ?? [])];
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new UsageError(
    "input",
    unknown.map((name) => `query has no ${quote(name)}, only ${known.join(", ")}.${didYouMean(name, known)}`),
  );
}

/** Whose time the answer tells: a reset or a state put in has another company stand under the same id. */
function current(c: HttpContext, sandbox: Sandbox, company: Company | undefined): Company | undefined {
  const id = company?.id ?? c.req.query("company");
  return id === undefined ? undefined : sandbox.findCompany(id);
}
