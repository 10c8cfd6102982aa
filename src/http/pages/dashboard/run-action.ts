import { isObject } from "../../../kernel/messages/json.js";
import { quote } from "../../../kernel/messages/text.js";
import { AUDIT_HEADER } from "../../../domain/model/rule.js";
import { type Caller, reachCompany } from "../../shared/caller.js";
import type { Company } from "../../../sandbox/company/company.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import type { Snapshot } from "../../../sandbox/state/company-record.js";
import { putBackSnapshot } from "../../../sandbox/state/snapshots.js";
import { refusalOf } from "../../control/control-endpoint.js";
import { type ActionName, type Fields, actions, orderOf } from "./view/actions.js";
import { type ControlOrder, credentialsFor, curlOf, isOfApi, isOfSandbox } from "./view/curl.js";
import type { Outcome, Undo } from "./view/memory.js";

export type AskControl = (request: Request) => Promise<Response>;

interface ActionContext {
  readonly sandbox: Sandbox;
  readonly company: Company;
  readonly caller: Caller;
  readonly here: URL;
  readonly ask: AskControl;
  /** Aborted when the client has left or the server begins to stop. */
  readonly ended: AbortSignal;
}

interface Done extends Omit<Outcome, "id"> {
  /** The path of a page to show instead of the one with the form. */
  readonly leadsTo?: string | undefined;
}

/** Does what a form asks for, by a call of the control API or of the API under test. Before something is destroyed, another call saves a snapshot. */
export async function runAction(context: ActionContext, name: ActionName, fields: Fields): Promise<Done> {
  const { snapshot = "" } = fields;
  if (name === "removeSnapshot") {
    const removed = context.company.record.snapshots.get(snapshot);
    return { ...(await callControl(context, name, fields)), undo: removed && { removed } };
  }
  const kept = actions[name].keeps;
  if (kept === undefined) return callControl(context, name, fields);
  const restore = snapshot === kept ? `${kept}-2` : kept;
  const saved = await callControl(context, "saveSnapshot", { snapshot: restore });
  if (!saved.ok) return saved;
  const undo = undoBy(context.company.record.snapshots.get(restore));
  const done = await callControl(context, name, fields);
  return done.ok ? { ...done, undo } : done;
}

function undoBy(saved: Snapshot | undefined): Undo | undefined {
  return saved && { restore: { id: saved.id, seq: saved.seq, savedAt: saved.savedAt } };
}

/** Undoes nothing when the snapshot was replaced meanwhile: an older page may still name it. */
export async function runUndo(context: ActionContext, undo: Undo): Promise<Done> {
  if ("restore" in undo) {
    const { id, seq, savedAt } = undo.restore;
    const found = context.company.record.snapshots.get(id);
    if (found?.seq === seq && found.savedAt === savedAt) return runAction(context, "restoreSnapshot", { snapshot: id });
    return notUndone(`The snapshot ${quote(id)} was replaced or removed since then.`);
  }
  try {
    return await putBack(context, undo.removed);
  } catch (thrown) {
    const { status, messages } = refusalOf(thrown);
    return status < 500 ? notUndone(...messages) : { ...notUndone(...messages), title: FAILED };
  }
}

/** Resolves once the snapshot is stored, like every other change. */
async function putBack({ sandbox, caller, company: { id } }: ActionContext, removed: Snapshot): Promise<Done> {
  await sandbox.store.writable();
  // A reset may have replaced the company meanwhile.
  const company = reachCompany(sandbox, caller, id);
  if (company.record.snapshots.get(removed.id) !== undefined)
    return notUndone(`There is a snapshot ${quote(removed.id)} already.`);
  putBackSnapshot(company, removed);
  await sandbox.store.durable();
  return { ok: true, title: "The snapshot is restored.", problems: [], curl: "" };
}

const FAILED = "It failed. Check whether the action was done.";

function notUndone(...problems: readonly string[]): Done {
  return { ok: false, title: "Nothing was done.", problems, curl: "" };
}

async function callControl(context: ActionContext, name: ActionName, fields: Fields): Promise<Done> {
  const { done, leadsTo } = actions[name];
  const refuse = (problems: readonly string[], curl = ""): Done => {
    return { ok: false, title: "Nothing was done.", problems, curl, refused: { name, fields } };
  };
  let order: ControlOrder;
  try {
    order = orderOf(name, fields);
  } catch (thrown) {
    return refuse(refusalOf(thrown).messages);
  }
  const answered = await send(context, order);
  const curl = curlOf(context, order);
  if (answered === undefined) {
    const problems = ["A rule of this company changed or lost the answer. Check whether the action was done."];
    return { ok: false, title: "The answer was lost.", problems, curl };
  }
  const body = isObject(answered.answer) ? answered.answer : {};
  if (!answered.ok) {
    const refused = refuse([body["message"] ?? []].flat().map(String), curl);
    // A rule may answer with 5xx after the work was done.
    return answered.status < 500 ? refused : { ...refused, title: FAILED };
  }
  return { ok: true, title: done(body), problems: [], curl, leadsTo: leadsTo?.(body) };
}

/** Undefined when a rule of the company made the answer unreadable. */
async function send(context: ActionContext, order: ControlOrder) {
  try {
    const response = await context.ask(requestOf(context, order));
    const text = await response.text();
    const answer: unknown = text === "" ? undefined : JSON.parse(text);
    // Every answer of the API has a body.
    return isOfApi(order) && !isObject(answer) ? undefined : { ok: response.ok, status: response.status, answer };
  } catch {
    return undefined;
  }
}

export function requestOf({ company, caller, here, ended }: ActionContext, order: ControlOrder): Request {
  const { method, path, body } = order;
  const url = new URL(here.origin + (isOfApi(order) ? "" : "/_sandbox") + path);
  if (!isOfApi(order) && !isOfSandbox(order)) url.searchParams.set("company", company.id);
  const control = caller.token === undefined ? {} : { authorization: `Bearer ${caller.token}` };
  return new Request(url, {
    method,
    signal: ended,
    headers: {
      // Marks a request that does not come from the client under test.
      ...(isOfApi(order) ? { ...credentialsFor(company, path), [AUDIT_HEADER]: "1" } : control),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
