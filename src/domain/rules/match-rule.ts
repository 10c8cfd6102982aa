import { Effort } from "../../kernel/effort.js";
import { findMismatches, matches, type Mismatch, show } from "../../kernel/matchers.js";
import { isObject } from "../../kernel/messages/json.js";
import { isMsisdn, msisdnKey } from "../values/msisdn.js";
import { findTopic } from "../values/topic.js";
import type { Rule, RuleKind, RuleMatch } from "../model/rule.js";

/** What rules of each kind look at. A member that is undefined is not there. */
interface RuleSubjects {
  readonly request: {
    readonly method: string;
    /** Without the query. */
    readonly path: string;
    readonly query: Readonly<Record<string, string>>;
    /** By their names in lower case. */
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
  /** Amounts in XOF. */
  readonly transfer: { readonly msisdn: string; readonly amount: number; readonly reference: string };
  readonly payment: { readonly msisdn: string; readonly amount: number; readonly externalId: string };
  readonly delivery: { readonly topic: string; readonly url: string; readonly data: unknown };
}

export type RuleSubject<Kind extends RuleKind> = RuleSubjects[Kind];

/**
 * Partial: of the subject only the members that the rule names are looked at. What is written plainly also matches its other spellings: a number with
 * another prefix, a topic, a path with `:id`, a method or a header in other letters.
 */
export function matchesRule<Kind extends RuleKind>(
  { match }: Rule,
  subject: RuleSubject<Kind>,
  effort: Effort,
): boolean {
  return Object.entries(match).every(([name, expected]) => {
    if (name === "nth") return true;
    const actual: unknown = Reflect.get(subject, name);
    return isSpelling(name, expected, actual) ?? matches(expectedOf(name, expected, effort), actual, effort);
  });
}

/** Whether `nth` picks the last of those that matched so far. */
export function isNth({ match, matched }: Rule, effort: Effort): boolean {
  return !hasNth(match) || matches(match["nth"], matched, effort);
}

export function hasNth(match: RuleMatch): boolean {
  return Object.hasOwn(match, "nth");
}

/** Everything in which the subject differs from what is to match, by the rules of `matchesRule`. */
export function findSubjectMismatches(match: RuleMatch, subject: object, effort = new Effort()): Mismatch[] {
  return Object.entries(match).flatMap(([name, expected]) => {
    const actual: unknown = Reflect.get(subject, name);
    const isSame = isSpelling(name, expected, actual);
    if (isSame === undefined) return findMismatches(expectedOf(name, expected, effort), actual, name, effort);
    return isSame ? [] : [{ path: name, expected: show(expected), actual }];
  });
}

/** Undefined when it has no other spellings. */
function isSpelling(name: string, expected: unknown, actual: unknown): boolean | undefined {
  if (typeof expected !== "string" || typeof actual !== "string") return undefined;
  return Object.hasOwn(spellings, name) ? spellings[name]?.(expected, actual) : undefined;
}

/** Names of headers are written in any letters. */
function expectedOf(name: string, expected: unknown, effort: Effort): unknown {
  return name === "headers" && effort.take(expected) ? lowerNames(expected) : expected;
}

type Spelling = (expected: string, actual: string) => boolean;

const spellings: Readonly<Record<string, Spelling>> = {
  method: (expected, actual) => expected.toUpperCase() === actual,
  path: matchesPath,
  msisdn: (expected, actual) => (isMsisdn(expected) ? msisdnKey(expected) === msisdnKey(actual) : expected === actual),
  topic: (expected, actual) => (findTopic(expected) ?? expected) === (findTopic(actual) ?? actual),
};

/** `/v1/charges/:id` matches any one id in that place. */
function matchesPath(template: string, path: string): boolean {
  if (!template.includes(":")) return template === path;
  const wanted = template.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return false;
  return wanted.every((part, index) => {
    const actual = given[index] ?? "";
    return part.startsWith(":") ? actual !== "" : part === actual;
  });
}

function lowerNames(headers: unknown): unknown {
  if (!isObject(headers)) return headers;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.startsWith("$") ? name : name.toLowerCase(), value]),
  );
}
