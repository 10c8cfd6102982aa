import { expect, it } from "vitest";
import fc, { runs } from "../../test/support/fast-check.js";
import { Effort } from "./effort.js";
import { patternProblem } from "./patterns.js";

const atom = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("a", "b", "é", "😀", "1", "_", "-", " ") },
  fc.constantFrom(".", String.raw`\d`, String.raw`\D`, String.raw`\w`, String.raw`\W`, String.raw`\.`, String.raw`\/`),
  fc.constantFrom(
    "[ab]",
    "[^a]",
    "[a-z0-9_-]",
    "[[]",
    String.raw`[\]b]`,
    String.raw`[\d\-]`,
    "[^]",
    String.raw`[\p{L}]`,
  ),
  fc.constantFrom(String.raw`\p{L}`, String.raw`\P{Lu}`, String.raw`\u0061`, String.raw`\u{1F600}`, String.raw`\x61`),
  fc.constantFrom("^", "$", String.raw`\b`, String.raw`\B`),
);
const { pattern } = fc.letrec<{ pattern: string; term: string }>((tie) => ({
  pattern: fc.array(tie("term"), { maxLength: 4 }).map((terms) => terms.join("")),
  term: fc.oneof(
    { depthSize: "small" },
    atom,
    fc
      .tuple(atom, fc.constantFrom("*", "+", "?", "*?", "{2}", "{1,3}", "{0}", "{2,}"))
      .map(([one, times]) => one + times),
    fc.tuple(tie("pattern"), tie("pattern")).map(([left, right]) => `(${left}|${right})`),
    fc
      .tuple(tie("pattern"), fc.constantFrom("", "*", "+", "?", "{2}", "{0,2}"))
      .map(([all, times]) => `(?:${all})${times}`),
    fc.tuple(fc.constantFrom("name", "prénom"), tie("pattern")).map(([name, all]) => `(?<${name}>${all})`),
  ),
}));
const text = fc.string({
  unit: fc.constantFrom("a", "b", "é", "😀", "1", "_", "-", "]", "[", " ", "A"),
  maxLength: 12,
});

it("finds what JavaScript finds, in every pattern that it accepts", () => {
  fc.assert(
    fc.property(pattern, text, (source, given) => {
      fc.pre(patternProblem(source) === undefined);
      // V8 also finds \B between the two halves of a surrogate pair.
      fc.pre(!(source.includes(String.raw`\B`) && given.includes("😀")));
      expect(new Effort().test(source, given)).toBe(new RegExp(source, "u").test(given));
    }),
    { numRuns: runs(2000) },
  );
});

it("reports what is wrong with anything that is not a pattern", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ab\\(?<=!>)[\]{}1,*+|^$.pkuxPL:-]{0,12}$/), (source) => {
      if (patternProblem(source) === undefined) expect(typeof new Effort().test(source, "aab")).toBe("boolean");
    }),
    { numRuns: runs(2000) },
  );
});
