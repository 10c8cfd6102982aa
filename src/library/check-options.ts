import { show } from "../domain/profile/setting-problems.js";
import { didYouMean } from "../kernel/suggest.js";

/** What a value must be; undefined when it is. */
export type OptionCheck = (value: unknown) => string | undefined;

/** Each option that is wrong, and each that is none, in a sentence. */
export function findOptionProblems(options: object, checks: Readonly<Record<string, OptionCheck>>): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (!Object.hasOwn(checks, name)) return [`${name} is not an option.${didYouMean(name, Object.keys(checks))}`];
    const wanted = checks[name]?.(value);
    return wanted === undefined ? [] : [`${name} must be ${wanted}, got ${show(value)}.`];
  });
}
