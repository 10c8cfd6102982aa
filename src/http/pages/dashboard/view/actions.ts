import { isObject } from "../../../../kernel/messages/json.js";
import { UsageError } from "../../../../kernel/messages/problem.js";
import type { ControlOrder } from "./curl.js";

/** The fields of a form, by name. Fields that were left empty are left out. */
export type Fields = Readonly<Record<string, string>>;

/** What the control API answered. */
type Answer = Readonly<Record<string, unknown>>;

interface Action {
  /** The call of the control API: the button makes it, and the line of curl beside it shows it. */
  readonly call: (fields: Fields) => ControlOrder;
  /** One line about what it did. */
  readonly done: (answer: Answer) => string;
  /** The action as a noun: "Nothing was done: the refund was refused." */
  readonly failed: string;
}

export const actions = {
  freeze: {
    call: () => put("/clock", { mode: "frozen" }),
    done: (answer) => `The clock stands still at ${timeIn(answer)}.`,
    failed: "freezing the clock",
  },
  resume: {
    call: () => put("/clock", { mode: "running" }),
    done: () => "The clock runs.",
    failed: "letting the clock run",
  },
  advance: { call: ({ by = "" }) => post("/clock/advance", { by }), done: describeAdvance, failed: "the advance" },
  next: { call: () => post("/clock/advance", { toNext: true }), done: describeAdvance, failed: "the advance" },
  set: {
    call: ({ now = "" }) => put("/clock", { now }),
    done: (answer) => `It is ${timeIn(answer)} now.`,
    failed: "setting the clock",
  },
  settle: { call: () => post("/settle"), done: () => "Nothing is on its way any more.", failed: "settling" },
  reset: { call: () => post("/reset"), done: () => "The company is as it was at the start.", failed: "the reset" },
  pay: {
    call: ({ id, msisdn }) => post(`/charges/${segment(id)}/pay`, optional({ msisdn })),
    done: ({ status }) => `The payment was tried: the charge is ${String(status)}.`,
    failed: "the payment",
  },
  cancel: {
    call: ({ id }) => post(`/charges/${segment(id)}/cancel`),
    done: ({ status }) => `The customer cancelled: the charge is ${String(status)}.`,
    failed: "the cancellation",
  },
  drop: {
    call: ({ id, reason }) => post(`/charges/${segment(id)}/drop`, optional({ reason })),
    done: () => "The charge is dropped.",
    failed: "dropping the charge",
  },
  refund: {
    call: ({ id, amount }) =>
      post(`/charges/${segment(id)}/refund`, amount === undefined ? undefined : { amount: numberIn(amount) }),
    done: ({ refunded }) => `The refund is made: ${String(refunded)} XOF are given back in all.`,
    failed: "the refund",
  },
  complete: {
    call: ({ id }) => post(`/transactions/${segment(id)}/complete`),
    done: () => "The transaction is completed.",
    failed: "completing the transaction",
  },
  fail: {
    call: ({ id, reason }) => post(`/transactions/${segment(id)}/fail`, optional({ reason })),
    done: () => "The transaction has failed.",
    failed: "failing the transaction",
  },
  redeliver: {
    call: ({ id }) => post(`/deliveries/${segment(id)}/redeliver`),
    done: () => "The webhook is sent again.",
    failed: "sending it again",
  },
  balance: {
    call: ({ balance }) => put("/balance", { balance: numberIn(balance) }),
    done: () => "The balance is set.",
    failed: "the balance",
  },
  customer: {
    call: ({ msisdn, firstName = "", lastName = "", kycStatus }) =>
      put(`/customers/${segment(msisdn)}`, { firstName, lastName, ...optional({ kycStatus }) }),
    done: () => "The customer is registered.",
    failed: "the customer",
  },
  forget: {
    call: ({ id }) => remove(`/customers/${segment(id)}`),
    done: () => "The customer is removed.",
    failed: "removing the customer",
  },
  addRule: {
    call: ({ rule }) => post("/rules", jsonIn("The rule", rule)),
    done: () => "The rule is in force.",
    failed: "the rule",
  },
  removeRule: {
    call: ({ id }) => remove(`/rules/${segment(id)}`),
    done: () => "The rule is gone.",
    failed: "removing the rule",
  },
  removeRules: { call: () => remove("/rules"), done: () => "All rules are gone.", failed: "removing the rules" },
  setting: {
    call: ({ setting = "", value }) => ({
      method: "PATCH",
      path: "/profile",
      body: nested(setting, jsonIn("The value", value)),
    }),
    done: () => "The setting is changed.",
    failed: "the change of the setting",
  },
  replayText: {
    call: ({ story }) => ({ ...post("/scenarios/replay", jsonIn("The scenario", story)), ofNoCompany: true }),
    done: describeReplay,
    failed: "the scenario",
  },
  replay: {
    call: ({ file = "" }) => ({ ...post("/scenarios/replay", { file }), ofNoCompany: true }),
    done: describeReplay,
    failed: "the scenario",
  },
  saveSnapshot: {
    call: ({ snapshot }) => post(`/snapshots/${segment(snapshot)}`),
    done: ({ name }) => `The state is kept as ${String(name)}.`,
    failed: "the snapshot",
  },
  restoreSnapshot: {
    call: ({ snapshot }) => put(`/snapshots/${segment(snapshot)}`),
    done: () => "The company is as it was then.",
    failed: "going back to the snapshot",
  },
  removeSnapshot: {
    call: ({ snapshot }) => remove(`/snapshots/${segment(snapshot)}`),
    done: () => "The snapshot is gone.",
    failed: "removing the snapshot",
  },
  open: {
    call: ({ companyId }) => ({ ...post("/companies", optional({ companyId }) ?? {}), ofNoCompany: true }),
    done: ({ companyId }) => `The company ${String(companyId)} is open.`,
    failed: "opening the company",
  },
} as const satisfies Readonly<Record<string, Action>>;

export type ActionName = keyof typeof actions;

export function isAction(name: string): name is ActionName {
  return Object.hasOwn(actions, name);
}

export function orderOf(name: ActionName, fields: Fields): ControlOrder {
  return actions[name].call(fields);
}

const post = (path: string, body?: unknown): ControlOrder => ({ method: "POST", path, body });
const put = (path: string, body?: unknown): ControlOrder => ({ method: "PUT", path, body });
const remove = (path: string): ControlOrder => ({ method: "DELETE", path });

function segment(id: string = ""): string {
  return encodeURIComponent(id).replaceAll("%2B", "+");
}

/** Without the fields that were left empty; undefined when none remains. */
function optional(fields: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> | undefined {
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** Other text is passed on: the control API explains the error. */
function numberIn(text: string = ""): number | string {
  const number = Number(text.replaceAll(/\s/g, ""));
  return text === "" || Number.isNaN(number) ? text : number;
}

function jsonIn(what: string, text: string = ""): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError("input", `${what} must be JSON: ${why}`);
  }
}

/** `transfers.settlement` as a profile file would write it. */
function nested(path: string, value: unknown): unknown {
  return path.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}

function timeIn({ now }: Answer): string {
  return String(now).slice(0, 19).replace("T", " ");
}

function describeReplay({ name, outcome, stepsPassed }: Answer): string {
  return `“${String(name)}” ${String(outcome)} after ${String(stepsPassed)} ${stepsPassed === 1 ? "step" : "steps"}.`;
}

function describeAdvance(answer: Answer): string {
  const { firedCount, deliveries } = answer;
  const attempted = isObject(deliveries) ? Number(deliveries["attempted"]) : 0;
  const timers = firedCount === 1 ? "1 timer fired" : `${String(firedCount)} timers fired`;
  const webhooks = attempted === 1 ? "1 webhook was attempted" : `${attempted} webhooks were attempted`;
  return `It is ${timeIn(answer)} now: ${timers}, ${webhooks}.`;
}
