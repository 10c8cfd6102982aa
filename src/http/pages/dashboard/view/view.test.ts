import { describe, expect, it } from "vitest";
import { REDACTED, SecretRedactor } from "../../../../sandbox/observation/redact.js";
import { redactAndTruncate, TEXT_MAX, truncateBody } from "./view.js";

const view = { redactor: new SecretRedactor(["secret_sandbox_1"]) };

describe("redactAndTruncate", () => {
  it("keeps a short text, without credentials", () => {
    expect(redactAndTruncate(view, "Shoes")).toBe("Shoes");
    expect(redactAndTruncate(view, "key secret_sandbox_1")).toBe(`key ${REDACTED}`);
  });

  it("cuts a long text", () => {
    expect(redactAndTruncate(view, "x".repeat(120))).toHaveLength(120);
    expect(redactAndTruncate(view, "x".repeat(1_000_000))).toBe(`${"x".repeat(120)}…`);
    expect(redactAndTruncate(view, "x".repeat(30), 20)).toBe(`${"x".repeat(20)}…`);
  });

  it("shows no part of a credential at the cut", () => {
    for (let before = 0; before < 30; before++) {
      const shown = redactAndTruncate(view, `${"x".repeat(before)}secret_sandbox_1${"y".repeat(2_000)}`, 20);
      expect(shown).not.toContain("secret");
    }
  });

  it("redacts a credential in the margin, which other credentials move into view", () => {
    const long = new SecretRedactor([`at_${"x".repeat(197)}`]);
    for (let before = 0; before < 200; before++) {
      const shown = redactAndTruncate(
        { redactor: long },
        "-".repeat(before) + `at_${"x".repeat(197)} `.repeat(60),
        2_000,
      );
      expect(shown).not.toContain("at_xxxxx");
    }
  });
});

describe("truncateBody", () => {
  it("shows how much it leaves out", () => {
    expect(truncateBody("x".repeat(TEXT_MAX))).toHaveLength(TEXT_MAX);
    expect(truncateBody("x".repeat(TEXT_MAX + 7))).toMatch(/x\n… and 7 characters more$/);
  });
});
