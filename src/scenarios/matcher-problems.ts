import { didYouMean } from "../kernel/suggest.js";
import { isMatcher, operators } from "../kernel/matchers.js";
import { hasVariables } from "./template.js";

/** Something wrong in an expectation, at a path inside of it. */
export interface MatcherProblem {
  readonly path: (string | number)[];
  readonly message: string;
  /** The key is the mistake, and not what stands there. */
  readonly key?: true;
}

/** Unknown operators, wrong operands, and `$…` members beside plain ones. */
export function matcherProblems(value: unknown, path: (string | number)[] = []): MatcherProblem[] {
  if (Array.isArray(value)) return value.flatMap((element, index) => matcherProblems(element, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  const entries = Object.entries(value);
  const dollar = entries.find(([key]) => key.startsWith("$"))?.[0];
  if (dollar !== undefined && !isMatcher(value)) {
    const message = "is a matcher beside plain members. Use one or the other; data with such a key goes into $exact";
    return [{ path: [...path, dollar], message, key: true }];
  }
  return entries.flatMap(([key, member]) => {
    const at = [...path, key];
    return key.startsWith("$") ? operatorProblems(key, member, at) : matcherProblems(member, at);
  });
}

function operatorProblems(name: string, operand: unknown, path: (string | number)[]): MatcherProblem[] {
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (operator === undefined) {
    const known = Object.keys(operators);
    const message = `is not a matcher.${didYouMean(name, known)} There are ${known.join(", ")}`;
    return [{ path, message, key: true }];
  }
  const problem = hasVariables(operand) ? undefined : operator.check(operand);
  if (problem !== undefined) return [{ path, message: problem }];
  return name === "$exact" ? [] : matcherProblems(operand, path);
}
