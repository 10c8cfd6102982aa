import { RecentMap } from "../../../../kernel/recent-map.js";
import type { RenderedRule } from "../../../../sandbox/state/rules.js";

/** A rule as it was written, so that it can be added again. */
export interface SwitchedOff {
  readonly name: string | null;
  readonly text: string;
}

/** Rules of one company, and companies. */
const KEPT = 20;
const COMPANIES = 100;

/** The rules that were switched off on the dashboard: a rule that is off is none, and the dashboard remembers how it was written. */
export class SwitchedOffRules {
  readonly #byCompany = new RecentMap<string, readonly SwitchedOff[]>(COMPANIES);

  /** Newest first. */
  of(companyId: string): readonly SwitchedOff[] {
    return this.#byCompany.get(companyId) ?? [];
  }

  add(companyId: string, rules: readonly RenderedRule[]): void {
    const added = rules.map((rule) => ({ name: rule.name, text: writeRule(rule) }));
    const texts = new Set(added.map(({ text }) => text));
    const others = this.of(companyId).filter(({ text }) => !texts.has(text));
    this.#byCompany.set(companyId, [...added, ...others].slice(0, KEPT));
  }

  /** It is in force again. */
  forget(companyId: string, text: string): void {
    this.#byCompany.set(
      companyId,
      this.of(companyId).filter((rule) => rule.text !== text),
    );
  }
}

function writeRule({ name, on, match, then, times }: RenderedRule): string {
  return JSON.stringify({
    ...(name === null ? {} : { name }),
    on,
    ...(Object.keys(match).length === 0 ? {} : { match }),
    then,
    ...(times === null || times === 0 ? {} : { times }),
  });
}
