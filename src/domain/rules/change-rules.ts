import { UsageError } from "../../kernel/messages/problem.js";
import { releaseHolds } from "./holds.js";
import type { Work } from "../model/work.js";
import type { Rule, RuleKind, RuleOn } from "../model/rule.js";
import { quote } from "../../kernel/messages/text.js";

/** A new rule. */
export type RuleOrder = {
  readonly [Kind in RuleKind]: Pick<RuleOn<Kind>, "on" | "name" | "match" | "then"> & { readonly times: number | null };
}[RuleKind];

/** What a rule may leave out. */
export const RULE_DEFAULTS: Pick<RuleOrder, "name" | "match"> = { name: null, match: {} };

/** The most rules of one company: each request, transfer, payment and delivery tries them one by one. */
export const RULES_MAX = 1_000;

/** The most bytes of all rules of a company as JSON. They are shown as a whole, for example with the coverage of the contract. */
export const RULES_BYTES_MAX = 1024 * 1024;

/** Throws UsageError("state") when the company would have too many rules. */
export function addRule(work: Work, order: RuleOrder): Rule {
  assertRoom(work, [order]);
  return putRule(work, order);
}

/** Like {@link addRule} for several rules, which are measured once. */
export function addRules(work: Work, orders: readonly RuleOrder[]): void {
  assertRoom(work, orders);
  for (const order of orders) putRule(work, order);
}

function assertRoom({ world: { rules } }: Work, orders: readonly RuleOrder[]): void {
  const refuse = (most: string): never => {
    const why = `a company has at most ${most}`;
    throw new UsageError(
      "state",
      `Failed to add the rule: ${why}. Remove one with DELETE /_sandbox/rules/:id, or all.`,
    );
  };
  if (rules.size + orders.length > RULES_MAX) refuse(`${RULES_MAX} rules`);
  if (rulesBytes([...rules.values(), ...orders]) > RULES_BYTES_MAX) refuse(`${RULES_BYTES_MAX} bytes of rules`);
}

function putRule(work: Work, { times, ...order }: RuleOrder): Rule {
  const base = {
    id: work.ids.short("rul"),
    seq: work.nextSeq(),
    createdAt: work.at,
    timesLeft: times,
    fired: 0,
    matched: 0,
  };
  return work.put<Rule>(work.world.rules, { ...order, ...base });
}

/** The size of the rules without what the sandbox adds to them, bytes. */
export function rulesBytes(rules: readonly Pick<Rule, "name" | "match" | "then">[]): number {
  return Buffer.byteLength(JSON.stringify(rules.map(({ name, match, then }) => [name, match, then])));
}

/** Removes a rule, and sends what it held back. */
export function removeRule(work: Work, id: string): void {
  if (work.world.rules.get(id) === undefined) throw new UsageError("not-found", `No rule has the id ${quote(id)}.`);
  work.remove(work.world.rules, id);
  releaseHolds(work, ({ ruleId }) => ruleId === id);
}

export function removeAllRules(work: Work): void {
  const ids = work.world.rules.values().map(({ id }) => id);
  for (const id of ids) removeRule(work, id);
}
