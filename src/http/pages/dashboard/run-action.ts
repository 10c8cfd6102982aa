import { beyondBounds, isObject } from "../../../kernel/messages/json.js";
import { UsageError } from "../../../kernel/messages/problem.js";
import type { Company } from "../../../sandbox/company/company.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { refusalOf } from "../../control/control-endpoint.js";
import { JSON_BOUNDS } from "../../shared/read-body.js";
import { type ActionName, actions, type Fields } from "./view/actions.js";
import { type ControlOrder, curlOf } from "./view/curl.js";
import type { Outcome } from "./view/memory.js";

export type AskControl = (request: Request) => Promise<Response>;

interface ActionContext {
  readonly sandbox: Sandbox;
  readonly company: Company;
  readonly here: URL;
  readonly ask: AskControl;
  /** Aborted when the client has left or the server begins to stop. */
  readonly ended: AbortSignal;
}

/** Does what a form asks for, by a call of the control API. */
export async function runAction(
  context: ActionContext,
  name: ActionName,
  fields: Fields,
): Promise<Omit<Outcome, "id">> {
  const { call, done, failed } = actions[name];
  const refused = `Nothing was done: ${failed} was refused.`;
  let order: ControlOrder;
  try {
    order = call(fields);
    assertBounded(order);
  } catch (thrown) {
    return { ok: false, title: refused, problems: refusalOf(thrown).messages, curl: "", answer: "" };
  }
  const response = await context.ask(requestOf(context, order));
  const text = await response.text();
  const answer: unknown = text === "" ? undefined : JSON.parse(text);
  const body = isObject(answer) ? answer : {};
  const { message = [], failure } = body;
  // A scenario that fails is an answer of the control API, and not an error.
  const failureText = isObject(failure) ? String(failure["text"]) : undefined;
  return {
    ok: response.ok && failureText === undefined,
    title: response.ok ? done(body) : refused,
    problems: response.ok || !Array.isArray(message) ? [] : message.map(String),
    text: failureText,
    curl: curlOf(context, order),
    answer: response.ok && answer !== undefined ? JSON.stringify(answer, undefined, 2) : "",
  };
}

/** Deeper nesting could not be written as JSON again. */
function assertBounded({ body }: ControlOrder): void {
  const excess = beyondBounds(body, JSON_BOUNDS);
  if (excess !== undefined) throw new UsageError("input", `What the form sent ${excess}`);
}

function requestOf({ sandbox, company, here, ended }: ActionContext, order: ControlOrder): Request {
  const { method, path, body, ofNoCompany } = order;
  const query = ofNoCompany === true ? "" : `?${String(new URLSearchParams({ company: company.id }))}`;
  const { adminToken } = sandbox.options;
  return new Request(`${here.origin}/_sandbox${path}${query}`, {
    method,
    signal: ended,
    headers: {
      ...(adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
