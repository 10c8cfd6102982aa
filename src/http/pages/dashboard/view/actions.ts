import { UsageError } from "../../../../kernel/problem.js";
import type { ControlOrder } from "./curl.js";

/** The fields of a form, each by its name. */
export type Fields = Readonly<Record<string, string>>;

/**
 * Everything that the dashboard can do: each is one call of the control API, so that what a button does and the line of curl beside it are the same by
 * construction. A field that was left empty is left out.
 */
export const actions = {
  freeze: () => ({ method: "PUT", path: "/clock", body: { mode: "frozen" } }),
  resume: () => ({ method: "PUT", path: "/clock", body: { mode: "running" } }),
  advance: ({ by }) => ({ method: "POST", path: "/clock/advance", body: { by: by ?? "" } }),
  next: () => ({ method: "POST", path: "/clock/advance", body: { toNext: true } }),
  set: ({ now }) => ({ method: "PUT", path: "/clock", body: { now: now ?? "" } }),
  settle: () => ({ method: "POST", path: "/settle" }),
  reset: () => ({ method: "POST", path: "/reset" }),
  pay: ({ id, msisdn }) => ({ method: "POST", path: `/charges/${segment(id)}/pay`, body: optional({ msisdn }) }),
  cancel: ({ id }) => ({ method: "POST", path: `/charges/${segment(id)}/cancel` }),
  drop: ({ id, reason }) => ({ method: "POST", path: `/charges/${segment(id)}/drop`, body: optional({ reason }) }),
  refund: ({ id, amount }) => ({
    method: "POST",
    path: `/charges/${segment(id)}/refund`,
    body: amount === undefined ? undefined : { amount: numberOf(amount) },
  }),
  complete: ({ id }) => ({ method: "POST", path: `/transactions/${segment(id)}/complete` }),
  fail: ({ id, reason }) => ({ method: "POST", path: `/transactions/${segment(id)}/fail`, body: optional({ reason }) }),
  redeliver: ({ id }) => ({ method: "POST", path: `/deliveries/${segment(id)}/redeliver` }),
  balance: ({ balance }) => ({ method: "PUT", path: "/balance", body: { balance: numberOf(balance) } }),
  customer: ({ msisdn, firstName, lastName, kycStatus }) => ({
    method: "PUT",
    path: `/customers/${segment(msisdn)}`,
    body: { firstName: firstName ?? "", lastName: lastName ?? "", ...optional({ kycStatus }) },
  }),
  forget: ({ id }) => ({ method: "DELETE", path: `/customers/${segment(id)}` }),
  addRule: ({ rule }) => ({ method: "POST", path: "/rules", body: jsonOf("The rule", rule) }),
  removeRule: ({ id }) => ({ method: "DELETE", path: `/rules/${segment(id)}` }),
  removeRules: () => ({ method: "DELETE", path: "/rules" }),
  setting: ({ setting, value }) => ({
    method: "PATCH",
    path: "/profile",
    body: nested(setting ?? "", jsonOf("The value", value)),
  }),
  replayText: ({ story }) => ({
    method: "POST",
    path: "/scenarios/replay",
    body: jsonOf("The scenario", story),
    ofNoCompany: true,
  }),
  replay: ({ file }) => ({ method: "POST", path: "/scenarios/replay", body: { file: file ?? "" }, ofNoCompany: true }),
  saveSnapshot: ({ snapshot }) => ({ method: "POST", path: `/snapshots/${segment(snapshot)}` }),
  restoreSnapshot: ({ snapshot }) => ({ method: "PUT", path: `/snapshots/${segment(snapshot)}` }),
  removeSnapshot: ({ snapshot }) => ({ method: "DELETE", path: `/snapshots/${segment(snapshot)}` }),
  open: ({ companyId }) => ({
    method: "POST",
    path: "/companies",
    body: optional({ companyId }) ?? {},
    ofNoCompany: true,
  }),
} as const satisfies Readonly<Record<string, (fields: Fields) => ControlOrder>>;

export type ActionName = keyof typeof actions;

export function isAction(name: string): name is ActionName {
  return Object.hasOwn(actions, name);
}

export function orderOf(name: ActionName, fields: Fields): ControlOrder {
  return actions[name](fields);
}

function segment(id: string | undefined): string {
  return encodeURIComponent(id ?? "").replaceAll("%2B", "+");
}

/** Without the fields that were left empty; undefined when that leaves none. */
function optional(fields: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> | undefined {
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** What is no number goes on as it is: the control API says what would be right. */
function numberOf(text: string = ""): number | string {
  const number = Number(text.replaceAll(/\s/g, ""));
  return text === "" || Number.isNaN(number) ? text : number;
}

function jsonOf(what: string, text: string = ""): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError("input", `${what} must be JSON: ${why}`);
  }
}

/** `transfers.settlement` as a file would write it. */
function nested(path: string, value: unknown): unknown {
  return path.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}
