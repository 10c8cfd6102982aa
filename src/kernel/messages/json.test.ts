import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { beyondBounds, jsonBytes } from "./json.js";

const nested = (open: string, close: string, depth: number): unknown =>
  JSON.parse(`${open.repeat(depth)}1${close.repeat(depth)}`);

describe("beyondBounds", () => {
  it.each([
    ["lists", "[", "]"],
    ["objects", '{"a":', "}"],
    ["both", '[{"a":', "}]"],
  ])("counts the levels of %s", (_, open, close) => {
    const levels = open.length === 6 ? 2 : 1;
    const bounds = { depth: 4 * levels, members: 1_000 };
    expect(beyondBounds(nested(open, close, 4), bounds)).toBeUndefined();
    expect(beyondBounds(nested(open, close, 5), bounds)).toBe(`is nested deeper than ${bounds.depth} levels`);
  });

  it("finds one deep value among flat ones", () => {
    expect(beyondBounds([1, [2], { a: [[[3]]] }], { depth: 4, members: 10 })).toBe("is nested deeper than 4 levels");
  });

  it("counts the members of all objects, but no elements", () => {
    const bounds = { depth: 10, members: 3 };
    expect(beyondBounds([{ a: 1 }, { a: 1, b: [1, 2, 3, 4] }], bounds)).toBeUndefined();
    expect(beyondBounds([{ a: 1 }, { a: 1, b: { c: 1 } }], bounds)).toBe("has more than 3 members");
  });

  it("does not overflow the stack that it guards", () => {
    expect(beyondBounds(nested("[", "]", 100_000), { depth: 200, members: 1 })).toMatch(/deeper/);
    expect(beyondBounds(nested("[", "]", 100_000), { depth: 1_000_000, members: 1 })).toBeUndefined();
  });

  it.each([1, "text", null, true, undefined])("accepts %j", (value) => {
    expect(beyondBounds(value, { depth: 0, members: 0 })).toBeUndefined();
  });
});

it("jsonBytes counts what JSON.stringify writes", () => {
  const text = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), text), (value) => {
      expect(jsonBytes(value)).toBe(Buffer.byteLength(JSON.stringify(value)));
    }),
  );
  expect(jsonBytes({ a: undefined, b: ["\ud800", '"\\\u0000é€😀'] })).toBe(
    Buffer.byteLength(JSON.stringify({ b: ["\ud800", '"\\\u0000é€😀'] })),
  );
  expect(jsonBytes(Array(3))).toBe(Buffer.byteLength(JSON.stringify(Array(3))));
  expect(jsonBytes(["x".repeat(100), "y".repeat(1000)], 50)).toBeGreaterThan(50);
});
