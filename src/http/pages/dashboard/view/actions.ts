import { beyondBounds } from "../../../../kernel/messages/json.js";
import { messageOf, UsageError } from "../../../../kernel/messages/problem.js";
import { STATE_BOUNDS } from "../../../control/state-routes.js";
import { JSON_BOUNDS } from "../../../shared/read-body.js";
import type { ControlOrder } from "./curl.js";
import { pluralize } from "../../../../kernel/messages/text.js";

/** The fields of a form by name, without the empty ones. */
export type Fields = Readonly<Record<string, string>>;

type Answer = Readonly<Record<string, unknown>>;

export interface Action {
  /**
   * The call of the control API, or of the API under test below `/v1`, with fields as `:name`. The button makes this call, and the line of curl
   * beside the button shows it.
   */
  readonly call: `${"POST" | "PUT" | "PATCH" | "DELETE"} /${string}`;
  /** Default: the fields that are not in the path, or no body if there are none. */
  readonly body?: (fields: Fields) => unknown;
  /** One line about what the action did. */
  readonly done: (answer: Answer) => string;
  /** The snapshot that is saved before the action, so that it can be undone. */
  readonly keeps?: string;
  /** The path of the page to show after a success. Default: the page with the form. */
  readonly leadsTo?: (answer: Answer) => string;
}

const table = {
  freeze: {
    call: "PUT /clock",
    body: () => ({ mode: "frozen" }),
    done: (answer) => `The clock is frozen at ${timeIn(answer)}.`,
  },
  resume: { call: "PUT /clock", body: () => ({ mode: "running" }), done: () => "The clock is running." },
  advance: { call: "POST /clock/advance", done: describeAdvance },
  next: { call: "POST /clock/advance", body: () => ({ toNext: true }), done: describeAdvance },
  set: { call: "PUT /clock", done: (answer) => `It is ${timeIn(answer)} now.` },
  reset: { call: "POST /reset", done: () => "The company is as it was at the start.", keeps: "before-reset" },
  pay: {
    call: "POST /charges/:id/pay",
    done: ({ status }) => `The payment was tried: the charge is ${String(status)}.`,
  },
  cancel: {
    call: "POST /charges/:id/cancel",
    done: ({ status }) => `The customer cancelled: the charge is ${String(status)}.`,
  },
  drop: { call: "POST /charges/:id/drop", done: () => "The charge is dropped." },
  refund: {
    call: "POST /charges/:id/refund",
    done: ({ refunded }) => `The refund is made: ${String(refunded)} XOF are refunded in all.`,
  },
  complete: { call: "POST /transactions/:id/complete", done: () => "The transaction is completed." },
  fail: { call: "POST /transactions/:id/fail", done: () => "The transaction has failed." },
  newCharge: {
    call: "POST /v1/charges",
    done: ({ externalId }) => `The charge ${String(externalId)} is created.`,
    leadsTo: ({ id }) => `/checkout/${segment(String(id))}`,
  },
  newPayout: {
    call: "POST /v1/transactions",
    body: (fields) => ({ type: "transfer", ...withNumbers(fields) }),
    done: ({ reference }) => `The payout ${String(reference)} is on its way.`,
  },
  subscribe: { call: "POST /v1/webhooks", done: ({ topic, url }) => `${String(url)} now receives ${String(topic)}.` },
  testEvent: {
    call: "POST /events",
    done: ({ type }) => `The test event happened: ${String(type).replace(".", " ")}.`,
    leadsTo: ({ resource }) => `/_sandbox/dashboard/deliveries?q=${segment(String(resource))}`,
  },
  redeliverFailing: {
    call: "POST /deliveries/redeliver",
    done: ({ redelivered }) => `${pluralize(Number(redelivered), "webhook is", "webhooks are")} sent again.`,
  },
  redeliver: { call: "POST /deliveries/:id/redeliver", done: () => "The webhook is sent again." },
  balance: { call: "PUT /balance", done: () => "The balance is set." },
  customer: { call: "PUT /customers/:msisdn", done: () => "The customer is registered." },
  forget: { call: "DELETE /customers/:id", done: () => "The customer is removed.", keeps: "before-removal" },
  addRule: {
    call: "POST /rules",
    body: ({ rule }) => jsonIn("The rule", rule),
    done: () => "The rule is in force.",
  },
  removeRule: { call: "DELETE /rules/:id", done: () => "The rule is removed." },
  removeRules: { call: "DELETE /rules", done: () => "All rules are removed.", keeps: "before-removal" },
  setting: {
    call: "PATCH /profile",
    body: ({ setting = "", value }) => nested(setting, jsonIn("The value", value)),
    done: () => "The setting is changed.",
  },
  saveSnapshot: { call: "POST /snapshots/:snapshot", done: ({ name }) => `The snapshot ${String(name)} is saved.` },
  restoreSnapshot: {
    call: "PUT /snapshots/:snapshot",
    done: () => "The snapshot is restored.",
    keeps: "before-restore",
  },
  putState: {
    call: "PUT /state",
    body: ({ state }) => jsonIn("The state", state),
    done: () => "The company has the state of the file.",
    keeps: "before-upload",
  },
  removeSnapshot: { call: "DELETE /snapshots/:snapshot", done: () => "The snapshot is removed." },
  open: { call: "POST /companies", done: ({ companyId }) => `The company ${String(companyId)} is open.` },
} as const satisfies Readonly<Record<string, Action>>;

export type ActionName = keyof typeof table;

export const actions: Readonly<Record<ActionName, Action>> = table;

export function isAction(name: string): name is ActionName {
  return Object.hasOwn(actions, name);
}

export function orderOf(name: ActionName, fields: Fields): ControlOrder {
  const { call, body } = actions[name];
  const template = call.slice(call.indexOf("/"));
  const others = Object.entries(fields).filter(([field]) => !template.includes(`:${field}`));
  const given = others.length === 0 ? undefined : withNumbers(Object.fromEntries(others));
  const sent = body === undefined ? given : body(fields);
  // Deeper nesting could not be written as JSON again.
  const excess = beyondBounds(sent, name === "putState" ? STATE_BOUNDS : JSON_BOUNDS);
  if (excess !== undefined) throw new UsageError("input", `What the form sent ${excess}`);
  return {
    method: call.slice(0, call.indexOf(" ")),
    path: template.replaceAll(/:(\w+)/g, (_, field: string) => segment(fields[field])),
    body: sent,
  };
}

function segment(id: string = ""): string {
  return encodeURIComponent(id).replaceAll("%2B", "+");
}

/** `10 000`. In many languages `10.000` means ten thousand, so it is no amount. */
const AMOUNT = /^-?\d+(\.\d\d?)?$/;

/** Turns amounts into numbers. Any other text is passed on: the control API explains the error. */
function withNumbers(fields: Fields): Readonly<Record<string, unknown>> {
  const entries = Object.entries(fields).map(([name, text]) => {
    const digits = text.replaceAll(/\s/g, "");
    const isAmount = (name === "amount" || name === "balance") && AMOUNT.test(digits);
    return [name, isAmount ? Number(digits) : text] as const;
  });
  return Object.fromEntries(entries);
}

function jsonIn(what: string, text: string = ""): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = messageOf(error);
    throw new UsageError("input", `${what} must be JSON: ${why}`);
  }
}

/** `transfers.settlement` nested as in a profile file. */
function nested(path: string, value: unknown): unknown {
  return path.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}

function timeIn({ now }: Answer): string {
  return String(now).slice(0, 19).replace("T", " ");
}

function describeAdvance(answer: Answer): string {
  const { firedCount } = answer;
  return `It is ${timeIn(answer)} now: ${pluralize(Number(firedCount), "timer")} fired.`;
}
