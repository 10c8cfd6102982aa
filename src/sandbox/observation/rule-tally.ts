import type { Rule } from "../../domain/model/rule.js";
import { renderThen } from "../state/render-rule.js";
import { counted, keyOf, type RuleCoverage } from "./coverage-report.js";

/** Rules that are remembered; more than that are not the rules of a person. */
const RULES_MAX = 1000;

/** Each rule that there was and how often it applied, whatever became of it since. Two that say the same are one, as a reset makes them anew. */
export class RuleTally {
  readonly #known = new Map<string, { readonly rule: RuleCoverage; fired: number }>();

  /** A change of a rule: `before` undefined when it is new, `after` when it has gone. */
  note(before: Rule | undefined, after: Rule | undefined): void {
    const rule = after ?? before;
    if (rule === undefined) return;
    const row = this.#rowOf(rule);
    if (row !== undefined && after !== undefined) row.fired += after.fired - (before?.fired ?? 0);
  }

  /** With those of `present` that nothing ever happened to. */
  report(present: readonly Rule[]): readonly RuleCoverage[] {
    for (const rule of present) this.#rowOf(rule);
    return [...this.#known.values()].map(({ rule, fired }) => ({ ...rule, ...counted(fired) }));
  }

  #rowOf(rule: Rule): { fired: number } | undefined {
    const { name, on, match } = rule;
    const described = { name, on, match, then: renderThen(rule) };
    const key = keyOf.rules(described);
    const known = this.#known.get(key);
    if (known !== undefined || this.#known.size >= RULES_MAX) return known;
    const row = { rule: { ...described, ...counted(0) }, fired: 0 };
    this.#known.set(key, row);
    return row;
  }
}
