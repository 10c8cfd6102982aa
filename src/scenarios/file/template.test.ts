import { describe, expect, test } from "vitest";
import { valueAt } from "../../kernel/fields.js";
import { expressionsOf, fill, listTexts, parsePath, parseTemplate } from "./template.js";

const values: Record<string, unknown> = { amount: 10000, "charge.id": "c1", none: null, list: [1, 2] };
const lookUp = (expression: string): unknown => values[expression];

describe("a text is filled in", () => {
  test.each([
    ["${amount}", 10000],
    ["${list}", [1, 2]],
    ["${none}", null],
    ["order-${amount}", "order-10000"],
    ["${charge.id}/${amount}", "c1/10000"],
    ["$${amount}", "${amount}"],
    ["costs $5", "costs $5"],
    ["", ""],
    ["${list}!", "[1,2]!"],
  ])("%s", (text, filled) => {
    expect(fill(text, lookUp)).toEqual(filled);
  });

  test("deeply, and keys are left alone", () => {
    expect(fill({ "${amount}": ["${amount}", { a: "${charge.id}" }] }, lookUp)).toEqual({
      "${amount}": [10000, { a: "c1" }],
    });
  });
});

test.each([
  ["${amount", /is not closed/],
  ["${}", /must be a name with dots/],
  ["${a b}", /must be a name with dots/],
  ["${1a}", /must be a name with dots/],
])("%s is refused", (text, problem) => {
  expect(parseTemplate(text)).toMatchObject({ problem: expect.stringMatching(problem) });
});

test("paths", () => {
  expect(parsePath("body.transactions[0].id")).toEqual(["body", "transactions", 0, "id"]);
  expect(valueAt({ body: { transactions: [{ id: "x" }] } }, parsePath("body.transactions[0].id"))).toBe("x");
  expect(valueAt({}, parsePath("constructor.name"))).toBeUndefined();
});

test("every text is listed with its path, and every expression of a text", () => {
  expect([...listTexts({ a: ["x ${b.c}", "${d}${e}"] })]).toEqual([
    { text: "x ${b.c}", path: ["a", 0] },
    { text: "${d}${e}", path: ["a", 1] },
  ]);
  expect(expressionsOf("x ${b.c} $${d}${e}")).toEqual(["b.c", "e"]);
});
