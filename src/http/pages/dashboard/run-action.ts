import { isObject } from "../../../domain/profile/read-overrides.js";
import { beyondBounds } from "../../../kernel/json.js";
import { UsageError } from "../../../kernel/problem.js";
import type { Company } from "../../../sandbox/company/company.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { refusalOf } from "../../control/control-endpoint.js";
import { JSON_BOUNDS } from "../../shared/read-body.js";
import { type ActionName, type Fields, orderOf } from "./view/actions.js";
import { type ControlOrder, curlOf } from "./view/curl.js";
import { titleOf } from "./view/outcome-titles.js";
import type { Outcome } from "./view/outcomes.js";

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
    assertBounded(order);
  } catch (thrown) {
    return { ok: false, title: titleOf(name, false), problems: refusalOf(thrown).messages, curl: "", answer: "" };
  }
  const response = await doing.ask(requestOf(doing, order));
  const answer = readJson(await response.text());
  const { ok } = response;
  const failure = name === "replay" || name === "replayText" ? failureIn(answer) : undefined;
  return {
    ok: ok && failure === undefined,
    title: titleOf(name, ok, answer),
    problems: ok ? [] : messagesOf(answer),
    text: failure,
    curl: curlOf(doing, order),
    answer: ok && answer !== undefined ? JSON.stringify(answer, undefined, 2) : "",
  };
}

/** What is nested deeper could not be written as JSON again. */
function assertBounded({ body }: ControlOrder): void {
  const excess = beyondBounds(body, JSON_BOUNDS);
  if (excess !== undefined) throw new UsageError("input", `What the form sent ${excess}`);
}

function requestOf({ sandbox, company, here }: Doing, { method, path, body, ofNoCompany }: ControlOrder): Request {
  const query = ofNoCompany === true ? "" : `?${String(new URLSearchParams({ company: company.id }))}`;
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

/** That a story did not come out as told is an answer of the control API, and not an error. */
function failureIn(answer: unknown): string | undefined {
  const failure = isObject(answer) ? answer["failure"] : undefined;
  return isObject(failure) ? String(failure["text"]) : undefined;
}

/** Of an error body. */
function messagesOf(answer: unknown): readonly string[] {
  const messages = isObject(answer) ? answer["message"] : [];
  return Array.isArray(messages) ? messages.map(String) : [];
}
