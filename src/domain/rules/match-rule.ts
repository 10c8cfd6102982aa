import { Effort } from "../../kernel/effort.js";
import { findMismatches, matches, type Mismatch, show } from "../../kernel/matchers.js";
import { isObject } from "../../kernel/messages/json.js";
import { isMsisdn, msisdnKey } from "../values/msisdn.js";
import { findTopic } from "../values/topic.js";
import type { Rule, RuleKind, RuleMatch } from "../model/rule.js";

/** What rules of each kind are compared with. An undefined member counts as absent. */
interface RuleSubjects {
  readonly request: {
    readonly method: string;
    /** The path without the query. */
    readonly path: string;
    readonly query: Readonly<Record<string, string>>;
    /** Keyed by name in lower case. */
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
 * Compares only the members that the rule names. A plain value also matches its other spellings: a number with another prefix, the other spelling of
 * a topic, a path with `:id`, a method or a header in other letter case.
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

/** Whether `nth` picks the last of the subjects that have matched so far. */
export function isNth({ match, matched }: Rule, effort: Effort): boolean {
  return !hasNth(match) || matches(match["nth"], matched, effort);
}

export function hasNth(match: RuleMatch): boolean {
  return Object.hasOwn(match, "nth");
}

/** Every difference between the subject and what is to match, by the rules of `matchesRule`. */
export function findSubjectMismatches(match: RuleMatch, subject: object, effort = new Effort()): Mismatch[] {
  return Object.entries(match).flatMap(([name, expected]) => {
    const actual: unknown = Reflect.get(subject, name);
    const isSame = isSpelling(name, expected, actual);
    if (isSame === undefined) return findMismatches(expectedOf(name, expected, effort), actual, name, effort);
    if (isSame) return [];
    // Described only when it is shown: a list compares a long path with thousands of requests.
    return [
      {
        path: name,
        actual,
        get expected() {
          return show(expected);
        },
      },
    ];
  });
}

/** Undefined for a member without other spellings. */
function isSpelling(name: string, expected: unknown, actual: unknown): boolean | undefined {
  if (typeof expected !== "string" || typeof actual !== "string") return undefined;
  return Object.hasOwn(spellings, name) ? spellings[name]?.(expected, actual) : undefined;
}

/** Header names match in any letter case. */
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

/** `/v1/charges/:id` matches any id in that place. */
function matchesPath(template: string, path: string): boolean {
  if (!template.includes(":")) return template === path;
  const wanted = template.split("/");
  // A path may have thousands of parts.
  const given = path.split("/", wanted.length + 1);
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
