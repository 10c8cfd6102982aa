import type { Company } from "../../sandbox/company.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { refusalOf } from "../control/answer-control.js";
import { type ActionName, type Fields, orderOf } from "./actions.js";
import { type ControlOrder, curlOf } from "./curl.js";
import { titleOf } from "./outcome-titles.js";
import type { Outcome } from "./outcomes.js";

/** Asks the control API as a program would. */
export type AskControl = (request: Request) => Promise<Response>;

interface Doing {
  readonly sandbox: Sandbox;
  readonly company: Company;
  /** The address of the page. */
  readonly here: URL;
  readonly ask: AskControl;
}

/** Does what a form asks for, by the call of the control API whose command it shows. */
export async function runAction(doing: Doing, name: ActionName, fields: Fields): Promise<Omit<Outcome, "id">> {
  let order: ControlOrder;
  try {
    order = orderOf(name, fields);
  } catch (thrown) {
    return { ok: false, title: titleOf(name, false), problems: refusalOf(thrown).messages, curl: "", answer: "" };
  }
  const response = await doing.ask(requestOf(doing, order));
  const answer = readJson(await response.text());
  const { ok } = response;
  const problems = ok ? [] : messagesOf(answer);
  return {
    ok,
    title: titleOf(name, ok, answer),
    problems,
    curl: curlOf(doing, order),
    answer: ok && answer !== undefined ? JSON.stringify(answer, undefined, 2) : "",
  };
}

function requestOf({ sandbox, company, here }: Doing, { method, path, body, ofNoCompany }: ControlOrder): Request {
  const query = ofNoCompany === true ? "" : `?${new URLSearchParams({ company: company.id })}`;
  const { adminToken } = sandbox.options;
  return new Request(`${here.origin}/_sandbox${path}${query}`, {
    method,
    headers: {
      ...(adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

function readJson(text: string): unknown {
  return text === "" ? undefined : JSON.parse(text);
}

/** Of an error body. */
function messagesOf(answer: unknown): readonly string[] {
  const messages = typeof answer === "object" && answer !== null && "message" in answer ? answer.message : [];
  return Array.isArray(messages) ? messages.map(String) : [];
}
