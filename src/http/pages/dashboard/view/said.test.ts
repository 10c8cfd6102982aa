import { describe, expect, it } from "vitest";
import { REDACTED, SecretRedactor } from "../../../../sandbox/observation/redact.js";
import { said, shortened, TEXT_MAX } from "./said.js";

const view = { redactor: new SecretRedactor(["secret_sandbox_1"]) };

describe("said", () => {
  it("shows a short text as it is, without credentials", () => {
    expect(said(view, "Shoes")).toBe("Shoes");
    expect(said(view, "key secret_sandbox_1")).toBe(`key ${REDACTED}`);
  });

  it("cuts what there is no room for", () => {
    expect(said(view, "x".repeat(120))).toHaveLength(120);
    expect(said(view, "x".repeat(1_000_000))).toBe(`${"x".repeat(120)}…`);
    expect(said(view, "x".repeat(30), 20)).toBe(`${"x".repeat(20)}…`);
  });

  it("shows no part of a credential that stands where it is cut", () => {
    for (let before = 0; before < 30; before++) {
      const shown = said(view, `${"x".repeat(before)}secret_sandbox_1${"y".repeat(2_000)}`, 20);
      expect(shown).not.toContain("secret");
    }
  });
});

describe("shortened", () => {
  it("says how much it leaves out", () => {
    expect(shortened("x".repeat(TEXT_MAX))).toHaveLength(TEXT_MAX);
    expect(shortened("x".repeat(TEXT_MAX + 7))).toMatch(/x\n… and 7 characters more$/);
  });
});
