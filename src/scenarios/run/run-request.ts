import type { SystemClock } from "../../kernel/system-clock.js";
import { type Failure, StepFailed } from "./failure.js";
import type { RequestStep, Saves, Step } from "../file/scenario.js";
import type { Variables } from "./variables.js";
import type { Answer, Credentials, Outgoing, ScenarioWorld } from "./world.js";
import { UsageError } from "../../kernel/problem.js";
import { quote } from "../../kernel/text.js";
import { findMismatches } from "../../kernel/matchers.js";
import { parsePath, valueAt } from "../file/template.js";

/** Sends the request, holds the answer against what is expected, and saves from it. */
export async function runRequest(context: StepContext, step: RequestStep): Promise<void> {
  const request = createRequest(context, step);
  if (step.expect?.lost === true) {
    await expectLost(context.world, request);
    return saveFrom(context, step.save, {}, { request: withoutSecrets(request) });
  }
  const answer = await context.world.send(request);
  const expected = context.variables.fill(step.expect ?? {});
  const actual = { status: answer.status, headers: answer.headers, body: answer.body };
  const mismatches = findMismatches(withLowerCaseHeaders(expected), actual, "");
  const shown = { request: withoutSecrets(request), answer };
  if (mismatches.length > 0) {
    throw new StepFailed({ message: "The answer is not what was expected", mismatches, ...shown });
  }
  saveFrom(context, step.save, actual, shown);
}

/** A rule may break the connection off; what the request has done, later steps tell. */
async function expectLost(world: ScenarioWorld, request: Outgoing): Promise<void> {
  const answer = await world.send(request).catch((error: unknown) => {
    if (isConnectionLost(error)) return undefined;
    throw error;
  });
  if (answer === undefined) return;
  const message = "An answer came, where it was expected to be lost";
  throw new StepFailed({ message, request: withoutSecrets(request), answer });
}

/** How `fetch` says that no answer came; everything else is no matter of the connection. */
function isConnectionLost(error: unknown): boolean {
  return error instanceof TypeError && error.message === "fetch failed";
}

/** Puts values of what came under the names that later steps use. */
export function saveFrom(
  context: StepContext,
  saves: Saves,
  from: unknown,
  shown: { request?: Outgoing; answer?: Answer },
): void {
  for (const [name, path] of Object.entries(saves)) {
    const value = valueAt(from, parsePath(path));
    if (value === undefined) {
      throw new StepFailed({ message: `Failed to save ${name}: there is nothing at ${path}`, ...shown });
    }
    context.variables.save(name, value);
  }
}

function createRequest({ world, variables }: StepContext, step: RequestStep): Outgoing {
  const who = step.as === undefined ? world : world.other(variables.fillText(step.as));
  const body = step.rawBody === undefined ? renderBody(variables.fill(step.body)) : variables.fillText(step.rawBody);
  const target = pathOf(world, variables.fillText(step.path));
  const isControl = target.startsWith("/_sandbox");
  const query = Object.entries(step.query).map(([name, value]) => [name, variables.fillText(String(value))] as const);
  const company = isControl && step.as !== undefined ? [["company", who.companyId] as const] : [];
  const headers = ownHeaders(isControl ? undefined : who, body);
  if (step.token === null) delete headers["authorization"];
  else if (step.token !== undefined) headers["authorization"] = `Bearer ${variables.fillText(step.token)}`;
  for (const [name, value] of Object.entries(step.headers)) {
    const key = name.toLowerCase();
    if (value === null) delete headers[key];
    else headers[key] = variables.fillText(String(value));
  }
  return { method: step.method, path: withQuery(target, [...company, ...query]), headers, body };
}

/** A link of an answer (`GET ${paymentUrl}`) begins with the address that all requests go to. */
function pathOf({ url }: ScenarioWorld, filled: string): string {
  const path = filled.startsWith(`${url}/`) ? filled.slice(url.length) : filled;
  if (path.startsWith("/")) return path;
  throw new UsageError("input", `The path must begin with / or with ${url}/, got ${quote(path)}.`);
}

function renderBody(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body);
}

/** What a client of the contract sends by itself; the control API knows no access token. */
function ownHeaders(who: Credentials | undefined, body: string | undefined): Record<string, string> {
  return {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(who === undefined ? {} : { authorization: `Bearer ${who.token}` }),
    ...(who === undefined || who.companyId === "" ? {} : { "x-company-id": who.companyId }),
  };
}

function withQuery(path: string, query: readonly (readonly [string, string])[]): string {
  if (query.length === 0) return path;
  const written = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
  return `${path}${path.includes("?") ? "&" : "?"}${written}`;
}

/** Reports are kept and shown around; whose request it was is not worth a token in them. */
function withoutSecrets(request: Outgoing): Outgoing {
  const { authorization, ...headers } = request.headers;
  return authorization === undefined ? request : { ...request, headers: { ...headers, authorization: "Bearer …" } };
}

/** Header names have no case; those that come are lower case. */
function withLowerCaseHeaders(expected: unknown): unknown {
  if (typeof expected !== "object" || expected === null || !("headers" in expected)) return expected;
  const { headers } = expected;
  if (typeof headers !== "object" || headers === null) return expected;
  return {
    ...expected,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
}

/** What a running step is given. */
export interface StepContext {
  readonly world: ScenarioWorld;
  readonly variables: Variables;
  readonly system: SystemClock;
  /** Under `start --scenario`: resolves when what the step waits for has come. */
  readonly waitFor: ((when: NonNullable<Step["when"]>) => Promise<void>) | undefined;
  /** Told after each step, in order; `failure` undefined when it went well. */
  readonly onStep: (step: Step, failure: Failure | undefined) => void;
}
