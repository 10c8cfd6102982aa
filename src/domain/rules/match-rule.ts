import { findMismatches, matches, type Mismatch, show } from "../../kernel/matchers.js";
import { Patterns } from "../../kernel/patterns.js";
import { isMsisdn, msisdnKey } from "../values/msisdn.js";
import { findTopic } from "../values/topic.js";
import type { Rule, RuleKind, RuleMatch } from "../model/rule.js";

/** What rules of each kind look at. A member that is undefined is not there. */
export interface RuleSubjects {
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
  patterns: Patterns,
): boolean {
  return Object.entries(match).every(
    ([name, expected]) => name === "nth" || mismatchesOf(name, expected, subject, patterns).length === 0,
  );
}

/** Whether `nth` picks the last of those that matched so far. */
export function isNth({ match, matched }: Rule, patterns: Patterns): boolean {
  return !hasNth(match) || matches(match["nth"], matched, patterns);
}

export function hasNth(match: RuleMatch): boolean {
  return Object.hasOwn(match, "nth");
}

/** Everything in which the subject differs from what is to match, by the rules of `matchesRule`. */
export function findSubjectMismatches(match: RuleMatch, subject: object, patterns = new Patterns()): Mismatch[] {
  return Object.entries(match).flatMap(([name, expected]) => mismatchesOf(name, expected, subject, patterns));
}

function mismatchesOf(name: string, expected: unknown, subject: object, patterns: Patterns): Mismatch[] {
  const actual: unknown = Reflect.get(subject, name);
  if (typeof expected === "string" && typeof actual === "string" && Object.hasOwn(spellings, name)) {
    return spellings[name]?.(expected, actual) === true ? [] : [{ path: name, expected: show(expected), actual }];
  }
  return findMismatches(name === "headers" ? lowerNames(expected) : expected, actual, name, patterns);
}

type Spelling = (expected: string, actual: string) => boolean;

const spellings: Readonly<Record<string, Spelling>> = {
  method: (expected, actual) => expected.toUpperCase() === actual,
  path: matchesPath,
  msisdn: (expected, actual) => (isMsisdn(expected) ? msisdnKey(expected) === msisdnKey(actual) : expected === actual),
  topic: (expected, actual) => (findTopic(expected) ?? expected) === (findTopic(actual) ?? actual),
};

/** `/v1/charges/:id` matches any one id in that place. */
export function matchesPath(template: string, path: string): boolean {
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
  if (typeof headers !== "object" || headers === null || Array.isArray(headers)) return headers;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.startsWith("$") ? name : name.toLowerCase(), value]),
  );
}
