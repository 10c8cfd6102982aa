import { findMismatches } from "../../kernel/matchers.js";
import { UsageError } from "../../kernel/messages/problem.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import type { RequestFields, Saves, Step, When } from "../file/scenario.js";
import { valueAt } from "../../kernel/fields.js";
import { parsePath } from "../file/template.js";
import { type Failure, StepFailed } from "./failure.js";
import type { Variables } from "./variables.js";
import type { Answer, Credentials, Outgoing, ScenarioWorld } from "./world.js";
import { quote } from "../../kernel/messages/text.js";

export interface StepContext {
  readonly world: ScenarioWorld;
  readonly variables: Variables;
  readonly system: SystemClock;
  /** Ends the steps early. */
  readonly signal: AbortSignal | undefined;
  /** Resolves when what the step waits for has happened. Only under `start --scenario`. */
  readonly waitFor: ((when: When) => Promise<void>) | undefined;
  /** Called after each step, in order; `failure` is undefined when it passed. */
  readonly onStep: (step: Step, failure: Failure | undefined) => void;
  /** Called with each answer. */
  readonly onAnswer?: (answer: Answer) => void;
}

/** As many as a server takes. In process nothing else bounds them, and a path of megabytes would stop the event loop for seconds. */
export const HEAD_CHARACTERS_MAX = 16 * 1024;

/** Sends the request, compares the answer with what is expected, and saves values from it. */
export async function runRequest(context: StepContext, step: RequestFields): Promise<void> {
  const request = createRequest(context, step);
  if (step.expect?.lost === true) {
    await expectLost(context.world, request);
    return saveFrom(context, step.save, {}, { request });
  }
  const answer = await context.world.send(request);
  context.onAnswer?.(answer);
  const expected = context.variables.fill(withLowerCaseHeaders(step.expect ?? {}));
  const mismatches = findMismatches(expected, answer, "");
  if (mismatches.length > 0) {
    throw new StepFailed({ message: "The answer is not what was expected", mismatches, request, answer });
  }
  saveFrom(context, step.save, answer, { request, answer });
}

/** Expects that a rule breaks the connection. Later steps can check what the request has done. */
async function expectLost(world: ScenarioWorld, request: Outgoing): Promise<void> {
  const answer = await world.send(request).catch((error: unknown) => {
    // `fetch` reports a broken connection by this message.
    if (error instanceof TypeError && error.message === "fetch failed") return undefined;
    throw error;
  });
  if (answer === undefined) return;
  const message = "An answer came, where it was expected to be lost";
  throw new StepFailed({ message, request, answer });
}

/** Saves values under the names that later steps use. */
export function saveFrom(
  context: StepContext,
  saves: Saves | undefined,
  from: unknown,
  shown: { request?: Outgoing; answer?: Answer },
): void {
  for (const [name, path] of Object.entries(saves ?? {})) {
    const value = valueAt(from, parsePath(path));
    if (value === undefined) {
      throw new StepFailed({ message: `Failed to save ${name}: there is nothing at ${path}`, ...shown });
    }
    context.variables.save(name, value);
  }
}

function createRequest({ world, variables }: StepContext, step: RequestFields): Outgoing {
  const fill = (value: unknown): string => variables.fillText(String(value));
  const [method = "", target = ""] = step.request.split(" ");
  const company = step.as === undefined ? world : world.other(fill(step.as));
  const json = step.body === undefined ? undefined : JSON.stringify(variables.fill(step.body));
  const body = step.rawBody === undefined ? json : fill(step.rawBody);
  const path = pathOf(world, fill(target));
  const isControl = path.startsWith("/_sandbox");
  const query = new URLSearchParams(isControl && step.as !== undefined ? { company: company.companyId } : {});
  for (const [name, value] of Object.entries(step.query ?? {})) query.append(name, fill(value));
  const headers = ownHeaders(isControl ? undefined : company, body);
  if (step.token === null) delete headers["authorization"];
  else if (step.token !== undefined) headers["authorization"] = `Bearer ${fill(step.token)}`;
  for (const [name, value] of Object.entries(step.headers ?? {})) {
    if (value === null) delete headers[name.toLowerCase()];
    else headers[name.toLowerCase()] = fill(value);
  }
  const separator = query.size === 0 ? "" : path.includes("?") ? "&" : "?";
  const whole = path + separator + query.toString().replaceAll("+", "%20");
  if ([whole, ...Object.values(headers)].join("").length > HEAD_CHARACTERS_MAX)
    throw new UsageError(
      "input",
      `The path and headers of a request must have at most ${HEAD_CHARACTERS_MAX} characters.`,
    );
  return { method, path: whole, headers, body };
}

/** A link from an answer (`GET ${paymentUrl}`) begins with the base address of all requests, which is removed. */
function pathOf({ url }: ScenarioWorld, filled: string): string {
  const path = filled.startsWith(`${url}/`) ? filled.slice(url.length) : filled;
  if (path.startsWith("/")) return path;
  throw new UsageError("input", `The path must begin with / or with ${url}/, got ${quote(path)}.`);
}

/** The headers that a client of the contract sends with every request. The control API takes no access token. */
function ownHeaders(company: Credentials | undefined, body: string | undefined): Record<string, string> {
  return {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(company === undefined ? {} : { authorization: `Bearer ${company.token}` }),
    ...(company === undefined || company.companyId === "" ? {} : { "x-company-id": company.companyId }),
  };
}

/** Header names are case-insensitive; those of answers are lower case. */
function withLowerCaseHeaders(expected: NonNullable<RequestFields["expect"]>) {
  if (expected.headers === undefined) return expected;
  const headers = Object.entries(expected.headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...expected, headers: Object.fromEntries(headers) };
}
