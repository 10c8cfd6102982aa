import { Effort } from "./effort.js";
import { isObject, jsonBytes, memberOf } from "./messages/json.js";
import { didYouMean } from "./messages/suggest.js";
import { patternProblem } from "./patterns.js";

/**
 * Matches a value against an expectation, partially and deeply: of an object only the expected members are compared, a list matches element by
 * element at the same length, and an object of `$…` members is a matcher.
 */

/** One place where the value differs. */
export interface Mismatch {
  /** `body.transactions[0].status`; the root's own name if the whole value differs. */
  readonly path: string;
  /** The expectation in words: `"paid"`, `above 5`, `nothing`. */
  readonly expected: string;
  /** Undefined means that there is no value. */
  readonly actual: unknown;
}

/** All differences, in the order of the expectation; none when the value matches. A caller that compares many values passes one `effort` for all of them. */
export function findMismatches(expected: unknown, actual: unknown, path: string, effort = new Effort()): Mismatch[] {
  const { givenUp } = effort;
  const differs = (describe: () => string): Mismatch[] => {
    const note = effort.givenUp > givenUp ? " (given up: it would take too long)" : "";
    // Described only when it is shown, since of thousands of differences only a few are.
    return [
      {
        path,
        actual,
        get expected() {
          return describe() + note;
        },
      },
    ];
  };
  if (!effort.take(expected)) return differs(() => show(expected));
  if (isMatcher(expected)) {
    return operatorsHold(expected, actual, effort) ? [] : differs(() => describeMatcher(expected));
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length)
      return differs(() => `a list of ${expected.length}`);
    return expected.flatMap((element, index) => findMismatches(element, actual[index], `${path}[${index}]`, effort));
  }
  if (isObject(expected) && isObject(actual)) {
    return Object.entries(expected).flatMap(([key, value]) =>
      findMismatches(value, memberOf(actual, key), path === "" ? key : `${path}.${key}`, effort),
    );
  }
  return expected === actual ? [] : differs(() => show(expected));
}

/** Whether `findMismatches` would find nothing. Stops at the first difference. */
export function matches(expected: unknown, actual: unknown, effort = new Effort()): boolean {
  if (!effort.take(expected)) return false;
  if (isMatcher(expected)) return operatorsHold(expected, actual, effort);
  return hasMembersOf(expected, actual, (value, member) => matches(value, member, effort));
}

/** Whether the values are equal: `$…` members are plain members, and there are no additional members. */
function equals(expected: unknown, actual: unknown, effort: Effort): boolean {
  if (!effort.take(expected) || !effort.take(actual)) return false;
  if (isObject(expected) && isObject(actual) && Object.keys(expected).length !== Object.keys(actual).length)
    return false;
  return hasMembersOf(expected, actual, (value, member) => equals(value, member, effort));
}

function hasMembersOf(
  expected: unknown,
  actual: unknown,
  compare: (expected: unknown, actual: unknown) => boolean,
): boolean {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false;
    return expected.every((element, index) => compare(element, actual[index]));
  }
  if (!isObject(expected)) return expected === actual;
  return isObject(actual) && Object.entries(expected).every(([key, value]) => compare(value, memberOf(actual, key)));
}

/** Whether a value is an object whose members all start with `$`. */
export function isMatcher(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && Object.keys(value).length > 0 && Object.keys(value).every((key) => key.startsWith("$"));
}

interface Operator {
  /** What is wrong with an operand; undefined when nothing is. */
  readonly check: (operand: unknown) => string | undefined;
  readonly test: (operand: unknown, actual: unknown, effort: Effort) => boolean;
  readonly describe: (operand: unknown) => string;
}

const numberOrText = (operand: unknown): string | undefined =>
  typeof operand === "number" || typeof operand === "string" ? undefined : "must be a number or a text to compare with";

/** Compares numbers as numbers and texts (such as ISO 8601 times) by their characters; other values do not match. */
function compare(accepts: (order: number) => boolean, words: string): Operator {
  return {
    check: numberOrText,
    test: (operand, actual) => {
      if (typeof operand === "number" && typeof actual === "number") return accepts(actual - operand);
      if (typeof operand !== "string" || typeof actual !== "string") return false;
      return accepts(actual < operand ? -1 : Number(actual > operand));
    },
    describe: (operand) => `${words} ${show(operand)}`,
  };
}

const onlyTrue = (operand: unknown): string | undefined => (operand === true ? undefined : "must be true");

const typeTests: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: Number.isInteger,
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: Array.isArray,
  object: isObject,
};
export const typeNames = Object.keys(typeTests);

export const operators: Readonly<Record<string, Operator>> = {
  $regex: {
    check: (operand) =>
      typeof operand === "string" ? patternProblem(operand) : "must be a regular expression as a text",
    test: (operand, actual, effort) =>
      typeof operand === "string" && typeof actual === "string" && effort.test(operand, actual),
    describe: (operand) => `a text matching /${String(operand)}/`,
  },
  $type: {
    check: (operand) =>
      typeof operand === "string" && Object.hasOwn(typeTests, operand)
        ? undefined
        : `must be one of ${typeNames.join(", ")}`,
    test: (operand, actual) => typeof operand === "string" && typeTests[operand]?.(actual) === true,
    describe: (operand) => `of type ${String(operand)}`,
  },
  $gt: compare((order) => order > 0, "above"),
  $gte: compare((order) => order >= 0, "at least"),
  $lt: compare((order) => order < 0, "below"),
  $lte: compare((order) => order <= 0, "at most"),
  $in: {
    check: (operand) =>
      Array.isArray(operand) && operand.length > 0 ? undefined : "must be a list of what is allowed",
    test: (operand, actual, effort) =>
      Array.isArray(operand) && operand.some((option) => matches(option, actual, effort)),
    describe: (operand) => `one of ${Array.isArray(operand) ? operand.map(show).join(", ") : show(operand)}`,
  },
  $length: {
    check: (operand) =>
      (Number.isInteger(operand) && Number(operand) >= 0) || isMatcher(operand)
        ? undefined
        : "must be a whole number, or a matcher such as { $gt: 0 }",
    test: (operand, actual, effort) =>
      (typeof actual === "string" || Array.isArray(actual)) && matches(operand, actual.length, effort),
    describe: (operand) => `of length ${isMatcher(operand) ? describeMatcher(operand) : show(operand)}`,
  },
  $contains: {
    check: () => undefined,
    test: (operand, actual, effort) => {
      if (typeof actual === "string") {
        return typeof operand === "string" && effort.search(operand, actual);
      }
      return Array.isArray(actual) && actual.some((element) => matches(operand, element, effort));
    },
    describe: (operand) => `containing ${show(operand)}`,
  },
  $absent: { check: onlyTrue, test: (_, actual) => actual === undefined, describe: () => "nothing" },
  $any: { check: onlyTrue, test: (_, actual) => actual !== undefined, describe: () => "anything" },
  $exact: {
    check: () => undefined,
    test: equals,
    describe: (operand) => `exactly ${show(operand)}`,
  },
};

/** A value as JSON, for messages. */
export function show(value: unknown): string {
  return value === undefined ? "nothing" : (JSON.stringify(value) ?? typeof value);
}

function operatorsHold(matcher: Readonly<Record<string, unknown>>, actual: unknown, effort: Effort): boolean {
  return Object.entries(matcher).every(
    ([name, operand]) => effort.take(operand) && operators[name]?.test(operand, actual, effort) === true,
  );
}

function describeMatcher(matcher: Readonly<Record<string, unknown>>): string {
  return Object.entries(matcher)
    .map(([name, operand]) => operators[name]?.describe(operand) ?? name)
    .join(" and ");
}

/** An error in an expectation. */
export interface MatcherProblem {
  readonly path: (string | number)[];
  readonly message: string;
  readonly params?: typeof KEY;
}

/** The key is wrong and not its value, so the message does not show the value. */
const KEY = { key: true, beside: true } as const;

/** Whether an operand is not known yet, and so cannot be checked. */
export type IsOpen = (operand: unknown) => boolean;

const neverOpen: IsOpen = () => false;

/** Deeper expectations are refused. */
const DEPTH_MAX = 100;

/** A larger expectation is refused: comparing takes time that grows with its size as JSON. */
const BYTES_MAX = 100_000;

/** Finds unknown operators, wrong operands, `$…` members beside plain ones, and expectations that are too large or too deep. */
export function matcherProblems(value: unknown, isOpen: IsOpen = neverOpen): MatcherProblem[] {
  if (jsonBytes(value, BYTES_MAX) <= BYTES_MAX) return problemsIn(value, isOpen, []);
  return [{ path: [], message: `must have at most ${BYTES_MAX} bytes as JSON` }];
}

function problemsIn(value: unknown, isOpen: IsOpen, path: (string | number)[]): MatcherProblem[] {
  if (path.length > DEPTH_MAX) return [{ path: [], message: `is nested deeper than ${DEPTH_MAX} levels` }];
  if (Array.isArray(value)) {
    return value.flatMap((element, index) => problemsIn(element, isOpen, [...path, index]));
  }
  if (typeof value !== "object" || value === null) return [];
  const entries = Object.entries(value);
  const dollar = entries.find(([key]) => key.startsWith("$"))?.[0];
  if (dollar !== undefined && !isMatcher(value)) {
    const message = "is a matcher beside plain members. Use one or the other; data with such a key goes into $exact";
    return [{ path: [...path, dollar], message, params: KEY }];
  }
  return entries.flatMap(([key, member]) => {
    const at = [...path, key];
    return key.startsWith("$") ? operatorProblems(key, member, isOpen, at) : problemsIn(member, isOpen, at);
  });
}

function operatorProblems(name: string, operand: unknown, isOpen: IsOpen, path: (string | number)[]): MatcherProblem[] {
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (operator === undefined) {
    const known = Object.keys(operators);
    const message = `is not a matcher.${didYouMean(name, known)} There are ${known.join(", ")}`;
    return [{ path, message, params: KEY }];
  }
  const problem = isOpen(operand) ? undefined : operator.check(operand);
  if (problem !== undefined) return [{ path, message: problem }];
  return name === "$exact" ? [] : problemsIn(operand, isOpen, path);
}
