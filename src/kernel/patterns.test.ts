import { describe, expect, it, vi } from "vitest";
import { Effort } from "./effort.js";
import { patternProblem } from "./patterns.js";
import { systemClock } from "./time/system-clock.js";

it.each([
  ["^a", "abc", true],
  ["^b", "abc", false],
  ["^txn_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "txn_53e88c9c-406f-4569-824c-caa9491121c1", true],
  ["^txn_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "txn_53e88c9c-406f-4569-caa9491121c1", false],
  [String.raw`^(\p{L}+ ?)+$`, "Awa Koné", true],
  [String.raw`^\u0041wa [^]+$`, "Awa Koné", true],
  [String.raw`^(?<année>\d+)-(?<\u0061>\d+)[(?<]x>$`, "2026-1<x>", true],
  ["^(a+)+$", `${"a".repeat(1000)}!`, false],
  ["(a|aa)+$b", "a".repeat(1000), false],
  ["a*a*a*a*a*b", "a".repeat(1000), false],
])("%s over %j: %s", (pattern, text, found) => {
  expect(new Effort().test(pattern, text)).toBe(found);
});

describe("a pattern that a linear engine cannot run is refused, with the place and what to write instead", () => {
  it.each([
    [String.raw`[a\b]`, String.raw`has "\\b" at character 3: a backspace is written \x08`],
    ["a(?=b)", 'has "(?=" at character 2: lookahead and lookbehind are not supported. Describe the text itself'],
    ["(?<!a)b", 'has "(?<!" at character 1: lookahead and lookbehind are not supported'],
    ["a(?i:b)", 'has "(?i" at character 2: flags within a pattern are not supported. For both cases write [Aa]'],
    ["(?-i:a)", 'has "(?-" at character 1: flags within a pattern are not supported'],
    [String.raw`(a|b)-\1`, String.raw`has "\\1" at character 7: backreferences are not supported. List the possible`],
    [String.raw`(?<x>a)\k<x>`, String.raw`has "\\k" at character 8: backreferences are not supported`],
    [String.raw`[\p{Script=Greek}]`, String.raw`at character 2: of the properties only general categories are known`],
    ["(.{1,100}){1,100}b", "is too large: written out, its repetitions come to 10101 characters, at most 500"],
    [".{2000}", "is too large"],
    ["((){2000}){3}", "is too large"],
    ["a".repeat(1001), "must have at most 1000 characters"],
    ["(", "is not a regular expression: Invalid regular expression: /(/u: Unterminated group"],
  ])("%s", (pattern, problem) => {
    expect(patternProblem(pattern)).toContain(problem);
    expect(() => new Effort().test(pattern, "a")).toThrow(pattern.length > 1000 ? "must have" : problem);
  });

  it.each([String.raw`\(?=a`, "[(?=a)]", String.raw`\\(a)`, "a{500}"])("%s is not", (pattern) => {
    expect(patternProblem(pattern)).toBeUndefined();
  });
});

it("does not run a pattern that would take too long, and counts it", () => {
  const effort = new Effort();
  expect(effort.test("a{400}", "a".repeat(10_000))).toBe(false);
  expect(effort.givenUp).toBe(1);
});

it("does not count time in which another process has the processor", () => {
  let now = 0;
  vi.spyOn(systemClock, "monotonic").mockImplementation(() => (now += 100));
  const effort = new Effort();
  const found = Array.from({ length: 20 }, (_, index) => effort.test(`^order-${index}$`, `order-${index}`));
  expect(found).toEqual(found.map(() => true));
});
