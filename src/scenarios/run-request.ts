import { StepFailed } from "./failure.js";
import { findMismatches } from "./matchers.js";
import type { RequestStep, Saves } from "./scenario.js";
import type { StepContext } from "./step-context.js";
import { parsePath, valueAt } from "./template.js";
import type { Answer, Credentials, Outgoing } from "./world.js";

/** Sends the request, holds the answer against what is expected, and saves from it. */
export async function runRequest(context: StepContext, step: RequestStep): Promise<void> {
  const request = createRequest(context, step);
  const answer = await context.world.send(request);
  const expected = context.variables.fill(step.expect ?? {});
  const actual = { status: answer.status, headers: answer.headers, body: answer.body };
  const mismatches = findMismatches(withLowerCaseHeaders(expected), actual, "");
  if (mismatches.length > 0) {
    throw new StepFailed({ message: "The answer is not what was expected", mismatches, request, answer });
  }
  saveFrom(context, step.save, actual, { request, answer });
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

export function createRequest({ world, variables }: StepContext, step: RequestStep): Outgoing {
  const who = step.as === undefined ? world : world.other(variables.fillText(step.as));
  const body = step.rawBody === undefined ? renderBody(variables.fill(step.body)) : variables.fillText(step.rawBody);
  const path = withQuery(variables.fillText(step.path), step.query, (value) => variables.fillText(String(value)));
  const headers = ownHeaders(path, who, body);
  if (step.token === null) delete headers["authorization"];
  else if (step.token !== undefined) headers["authorization"] = `Bearer ${variables.fillText(step.token)}`;
  for (const [name, value] of Object.entries(step.headers)) {
    const key = name.toLowerCase();
    if (value === null) delete headers[key];
    else headers[key] = variables.fillText(String(value));
  }
  return { method: step.method, path, headers, body };
}

function renderBody(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body);
}

/** What a client of the contract sends by itself. */
function ownHeaders(path: string, who: Credentials, body: string | undefined): Record<string, string> {
  const content: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  if (path.startsWith("/_sandbox")) return content;
  return { ...content, authorization: `Bearer ${who.token}`, "x-company-id": who.companyId };
}

function withQuery(path: string, query: RequestStep["query"], render: (value: unknown) => string): string {
  const entries = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(render(value))}`,
  );
  if (entries.length === 0) return path;
  return `${path}${path.includes("?") ? "&" : "?"}${entries.join("&")}`;
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
