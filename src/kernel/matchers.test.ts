import { describe, expect, test } from "vitest";
import { findMismatches, matches } from "./matchers.js";

describe("matching is partial and deep", () => {
  test.each([
    [{ a: 1 }, { a: 1, b: 2 }, true],
    [{ a: { b: 1 } }, { a: { b: 1, c: 2 } }, true],
    [{ a: undefined }, {}, true],
    [{ a: null }, {}, false],
    [{ a: null }, { a: null }, true],
    [[1, { a: 1 }], [1, { a: 1, b: 2 }], true],
    [[1], [1, 2], false],
    [[], [], true],
    [{}, [], false],
    [{}, { a: 1 }, true],
    ["a", "a", true],
    [1, "1", false],
    [0, -0, true],
    [{ toString: { $absent: true } }, {}, true],
  ])("%j against %j: %s", (expected, actual, result) => {
    expect(matches(expected, actual)).toBe(result);
  });
});

describe("matchers", () => {
  test.each([
    [{ $regex: "^txn_" }, "txn_1", true],
    [{ $regex: "^txn_" }, 1, false],
    [{ $type: "integer" }, 1, true],
    [{ $type: "integer" }, 1.5, false],
    [{ $type: "null" }, null, true],
    [{ $type: "object" }, [], false],
    [{ $gt: 1, $lt: 3 }, 2, true],
    [{ $gt: 1, $lt: 3 }, 3, false],
    [{ $gte: 3 }, 3, true],
    [{ $lte: 3 }, 3, true],
    [{ $gt: "2026-01-15T09:00:00.000Z" }, "2026-01-15T10:00:00.000Z", true],
    [{ $gt: 1 }, "2", false],
    [{ $in: ["due", { $regex: "^paid" }] }, "paid", true],
    [{ $in: ["due"] }, "paid", false],
    [{ $length: 2 }, [1, 2], true],
    [{ $length: { $gt: 2 } }, "abc", true],
    [{ $length: 0 }, undefined, false],
    [{ $contains: { type: "refund" } }, [{ type: "payment" }, { type: "refund", x: 1 }], true],
    [{ $contains: "amount" }, "amount must be", true],
    [{ $contains: 1 }, "1", false],
    [{ $absent: true }, undefined, true],
    [{ $absent: true }, null, false],
    [{ $any: true }, null, true],
    [{ $any: true }, undefined, false],
    [{ $exact: { a: 1 } }, { a: 1 }, true],
    [{ $exact: { a: 1 } }, { a: 1, b: 2 }, false],
  ])("%j against %j: %s", (expected, actual, result) => {
    expect(matches(expected, actual)).toBe(result);
  });
});

test("every difference has its path, and the expectation in words", () => {
  const actual = { status: "paid", transactions: [{ type: "refund" }, { type: "payment" }], due: 0 };
  const expected = {
    status: "due",
    transactions: [{ type: "refund" }, { type: "refund" }],
    due: { $gt: 5, $lt: 9 },
    x: { $any: true },
  };
  expect(findMismatches(expected, actual, "body")).toEqual([
    { path: "body.status", expected: '"due"', actual: "paid" },
    { path: "body.transactions[1].type", expected: '"refund"', actual: "payment" },
    { path: "body.due", expected: "above 5 and below 9", actual: 0 },
    { path: "body.x", expected: "anything", actual: undefined },
  ]);
});

test("a text that is too long for a pattern does not match, and the difference says so", () => {
  const [mismatch] = findMismatches({ note: { $regex: "b.{400}c" } }, { note: "ab".repeat(5000) }, "");
  expect(mismatch?.expected).toBe("a text matching /b.{400}c/ (given up: it would take too long)");
});
