import { describe, expect, it } from "vitest";
import { parseSource } from "../../src/adapters/files/source.js";
import { UsageError } from "../../src/kernel/messages/problem.js";
import { findMismatches, matches } from "../../src/kernel/matchers.js";
import { parseScenario } from "../../src/scenarios/file/parse-scenario.js";
import { valueAt } from "../../src/kernel/fields.js";
import { type TemplatePart, fill, parsePath, parseTemplate } from "../../src/scenarios/file/template.js";
import fc, { runs } from "../support/fast-check.js";
import { mutations } from "../support/mutations.js";
import { replayAll } from "../support/scenarios.js";

const name = fc.stringMatching(/^[A-Za-z_][\w-]{0,8}$/);
const expression = fc
  .tuple(
    name,
    fc.array(
      fc.oneof(
        name.map((member) => `.${member}`),
        fc.nat(20).map((index) => `[${index}]`),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([root, rest]) => root + rest.join(""));

/** A literal as it is written: `$${` stands for `${`. */
const written = (literal: string): string => literal.replaceAll("${", () => "$${");

describe("templates", () => {
  // A literal must not end with $, since a variable after it would not be read: $${x} is the text ${x}.
  const literal = fc
    .string({ unit: fc.constantFrom("a", " ", "$", "{", "}", "\\", "é", "${", "\n") })
    .filter((text) => !text.endsWith("$"));

  it("any text without variables is unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "$", "{", "}", "${", "$${") }), (text) => {
        const parsed = parseTemplate(written(text));
        expect(parsed).toEqual({ parts: [{ literal: text }] });
        expect(fill(written(text), () => expect.fail("there is no variable"))).toBe(text);
      }),
    );
  });

  it("a text written from parts is parsed into the same parts, each of which is filled in", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(literal, expression), { minLength: 1, maxLength: 4 }), literal, (pairs, last) => {
        const text = pairs.map(([before, variable]) => `${written(before)}\${${variable}}`).join("") + written(last);
        const parts: TemplatePart[] = pairs.flatMap(([before, variable]) => [
          ...(before === "" ? [] : [{ literal: before }]),
          { expression: variable },
        ]);
        if (last !== "") parts.push({ literal: last });
        expect(parseTemplate(text)).toEqual({ parts });
        const filled = pairs.map(([before, variable]) => `${before}<${variable}>`).join("") + last;
        expect(fill(text, (variable) => `<${variable}>`)).toBe(filled);
      }),
    );
  });

  it("any JSON value without variables is unchanged", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const escaped: unknown = JSON.parse(JSON.stringify(value), (_, member: unknown) =>
          typeof member === "string" ? written(member) : member,
        );
        expect(JSON.stringify(fill(escaped, () => expect.fail("there is no variable")))).toBe(JSON.stringify(value));
      }),
    );
  });

  it("a path leads to the value at it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(name, fc.nat(3)), { minLength: 1, maxLength: 5 }),
        fc.jsonValue(),
        (path, value) => {
          const root = path.reduceRight<unknown>(
            (inner, step) => (typeof step === "number" ? [...Array.from({ length: step }), inner] : { [step]: inner }),
            value,
          );
          const text = path
            .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
            .join("")
            .replace(/^\./, "");
          expect(parsePath(text)).toEqual(path);
          expect(valueAt(root, parsePath(text))).toEqual(value);
        },
      ),
    );
  });
});

describe("matching", () => {
  const plain = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('"$'));

  it("everything matches itself, and exactly", () => {
    fc.assert(
      fc.property(plain, (value) => {
        const copy: unknown = JSON.parse(JSON.stringify(value));
        expect(findMismatches(value, copy, "")).toEqual([]);
        expect(matches({ $exact: copy }, copy)).toBe(true);
        expect(matches({ $in: [copy] }, copy)).toBe(true);
      }),
    );
  });

  it("an additional member changes nothing, a different member does", () => {
    fc.assert(
      fc.property(fc.dictionary(name, plain, { minKeys: 1 }), plain, (expected, value) => {
        expect(matches(expected, { ...expected, "one more": value })).toBe(true);
        const [first = ""] = Object.keys(expected);
        expect(matches(expected, { ...expected, [first]: { "not there": value } })).toBe(
          matches(expected[first], { "not there": value }),
        );
      }),
    );
  });
});

describe("parsing", () => {
  const refuse = (): Promise<never> => Promise.reject(new UsageError("file", "There is no other file."));

  it("every valid scenario can be replayed, and its result can be reported", async () => {
    let replayed = 0;
    await fc.assert(
      fc.asyncProperty(mutations, async (written) => {
        const source = parseSource(JSON.stringify(written), "any.json");
        const scenario = await parseScenario(source, refuse).catch(() => undefined);
        if (scenario === undefined) return;
        replayed++;
        const { results, failures } = await replayAll([scenario]);
        expect(results).toHaveLength(1);
        expect(failures === "").toBe(results[0]?.outcome === "passed");
      }),
      // Most mutations are not valid, but at least one run must be.
      { numRuns: runs(40), examples: [[{ steps: [{ request: "GET /v1/balance" }] }]] },
    );
    expect(replayed).toBeGreaterThan(0);
  });
});
