import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { TokenBook } from "./token-book.js";

const identity = (id: string, ...tokens: string[]) => ({
  id,
  secretKey: "secret",
  tokens: tokens.map((token) => ({ token, expiresAt: null })),
});

describe("TokenBook", () => {
  it("knows whose a token is", () => {
    const book = new TokenBook();
    book.add(identity("company_a", "at_a", "at_a2"));
    book.add(identity("company_b", "at_b"));
    const holders = () => ["at_a", "at_a2", "at_b", "at_c"].map((token) => book.holderOf(token));
    expect(holders()).toEqual(["company_a", "company_a", "company_b", undefined]);
    book.forget(identity("company_b", "at_a", "at_b"));
    expect(holders()).toEqual(["company_a", "company_a", undefined, undefined]);
  });

  it.each(["__proto__", "constructor", "x".repeat(100_000), "é"])("takes any text (%j)", (token) => {
    const book = new TokenBook();
    expect(book.holderOf(token)).toBeUndefined();
    book.add(identity("company_a", token));
    expect(book.holderOf(token)).toBe("company_a");
  });

  it("holds no token that could be compared letter by letter", () => {
    const book = new TokenBook();
    book.add(identity("company_a", "at_secret_token"));
    expect(inspect(book, { showHidden: true, depth: 10 })).not.toContain("at_secret_token");
  });
});
