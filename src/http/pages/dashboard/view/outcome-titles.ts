import { isObject } from "../../../../domain/profile/read-overrides.js";
import type { ActionName } from "./actions.js";

/** One line on what an action did, or that it was refused. */
export function titleOf(name: ActionName, ok: boolean, answer?: unknown): string {
  const said = isObject(answer) ? answer : {};
  return ok ? done[name](said) : `Nothing was done: ${failed[name]} was refused.`;
}

type Said = Readonly<Record<string, unknown>>;

const now = ({ now: at }: Said): string => String(at).slice(0, 19).replace("T", " ");

const done: Readonly<Record<ActionName, (said: Said) => string>> = {
  freeze: (said) => `The clock stands still at ${now(said)}.`,
  resume: () => "The clock runs.",
  advance: describeAdvance,
  next: describeAdvance,
  set: (said) => `It is ${now(said)} now.`,
  settle: () => "Nothing is on its way any more.",
  reset: () => "The company is as it was at the start.",
  pay: ({ status }) => `The payment was tried: the charge is ${String(status)}.`,
  cancel: ({ status }) => `The customer cancelled: the charge is ${String(status)}.`,
  drop: () => "The charge is dropped.",
  refund: ({ refunded }) => `The refund is made: ${String(refunded)} XOF are given back in all.`,
  complete: () => "The transaction is completed.",
  fail: () => "The transaction has failed.",
  redeliver: () => "The webhook is sent again.",
  balance: () => "The balance is set.",
  customer: () => "The customer is registered.",
  forget: () => "The customer is removed.",
  addRule: () => "The rule is in force.",
  removeRule: () => "The rule is gone.",
  removeRules: () => "All rules are gone.",
  setting: () => "The setting is changed.",
  replay: describeReplay,
  replayText: describeReplay,
  open: ({ companyId }) => `The company ${String(companyId)} is open.`,
  saveSnapshot: ({ name }) => `The state is kept as ${String(name)}.`,
  restoreSnapshot: () => "The company is as it was then.",
  removeSnapshot: () => "The snapshot is gone.",
};

const failed: Readonly<Record<ActionName, string>> = {
  freeze: "freezing the clock",
  resume: "letting the clock run",
  advance: "the advance",
  next: "the advance",
  set: "setting the clock",
  settle: "settling",
  reset: "the reset",
  pay: "the payment",
  cancel: "the cancellation",
  drop: "dropping the charge",
  refund: "the refund",
  complete: "completing the transaction",
  fail: "failing the transaction",
  redeliver: "sending it again",
  balance: "the balance",
  customer: "the customer",
  forget: "removing the customer",
  addRule: "the rule",
  removeRule: "removing the rule",
  removeRules: "removing the rules",
  setting: "the change of the setting",
  replay: "the scenario",
  replayText: "the scenario",
  open: "opening the company",
  saveSnapshot: "the snapshot",
  restoreSnapshot: "going back to the snapshot",
  removeSnapshot: "removing the snapshot",
};

function describeReplay({ name, outcome, stepsPassed }: Said): string {
  return `“${String(name)}” ${String(outcome)} after ${String(stepsPassed)} ${stepsPassed === 1 ? "step" : "steps"}.`;
}

function describeAdvance({ now: at, firedCount, deliveries }: Said): string {
  const attempted = isObject(deliveries) ? Number(deliveries["attempted"]) : 0;
  const timers = firedCount === 1 ? "1 timer fired" : `${String(firedCount)} timers fired`;
  const webhooks = attempted === 1 ? "1 webhook was attempted" : `${attempted} webhooks were attempted`;
  return `It is ${now({ now: at })} now: ${timers}, ${webhooks}.`;
}
