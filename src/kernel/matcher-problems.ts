import { isMatcher, operators } from "./matchers.js";
import { didYouMean } from "./suggest.js";

/** Something wrong in an expectation, at a path inside of it. */
export interface MatcherProblem {
  readonly path: (string | number)[];
  readonly message: string;
  /** The key is the mistake, and not what stands there. */
  readonly key?: true;
}

/** Whether an operand is only known later, and cannot be judged now. */
export type IsOpen = (operand: unknown) => boolean;

const neverOpen: IsOpen = () => false;

/** Nothing that is written by hand goes deeper, and nothing that does is looked at. */
const DEPTH_MAX = 100;

/** Unknown operators, wrong operands, and `$…` members beside plain ones. */
export function matcherProblems(
  value: unknown,
  isOpen: IsOpen = neverOpen,
  path: (string | number)[] = [],
): MatcherProblem[] {
  if (path.length > DEPTH_MAX) return [{ path: [], message: `is nested deeper than ${DEPTH_MAX} levels` }];
  if (Array.isArray(value)) {
    return value.flatMap((element, index) => matcherProblems(element, isOpen, [...path, index]));
  }
  if (typeof value !== "object" || value === null) return [];
  const entries = Object.entries(value);
  const dollar = entries.find(([key]) => key.startsWith("$"))?.[0];
  if (dollar !== undefined && !isMatcher(value)) {
    const message = "is a matcher beside plain members. Use one or the other; data with such a key goes into $exact";
    return [{ path: [...path, dollar], message, key: true }];
  }
  return entries.flatMap(([key, member]) => {
    const at = [...path, key];
    return key.startsWith("$") ? operatorProblems(key, member, isOpen, at) : matcherProblems(member, isOpen, at);
  });
}

function operatorProblems(name: string, operand: unknown, isOpen: IsOpen, path: (string | number)[]): MatcherProblem[] {
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (operator === undefined) {
    const known = Object.keys(operators);
    const message = `is not a matcher.${didYouMean(name, known)} There are ${known.join(", ")}`;
    return [{ path, message, key: true }];
  }
  const problem = isOpen(operand) ? undefined : operator.check(operand);
  if (problem !== undefined) return [{ path, message: problem }];
  return name === "$exact" ? [] : matcherProblems(operand, isOpen, path);
}
