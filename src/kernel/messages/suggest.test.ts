import { describe, expect, it } from "vitest";
import { didYouMean, nearest } from "./suggest.js";

const words = ["transfers", "charges", "refunds", "id"];

describe("nearest", () => {
  it.each<[string, string | undefined]>([
    ["transfer", "transfers"],
    ["Charges", "charges"],
    ["chagres", "charges"],
    ["refund", "refunds"],
    ["ix", "id"],
    ["x", undefined],
    ["", undefined],
    ["webhooks", undefined],
    ["constructor", undefined],
  ])("of %j is %j", (word, found) => {
    expect(nearest(word, words)).toBe(found);
  });

  it("returns the first of equally near candidates, and undefined without candidates", () => {
    expect(nearest("maw", ["max", "mat"])).toBe("max");
    expect(nearest("max", [])).toBeUndefined();
  });

  it("ignores very long texts", () => {
    expect(nearest("a".repeat(101), ["a".repeat(100)])).toBeUndefined();
  });
});

describe("didYouMean", () => {
  it("is a sentence or an empty text", () => {
    expect(didYouMean("chargs", words)).toBe(' Did you mean "charges"?');
    expect(didYouMean("zzz", words)).toBe("");
  });
});
