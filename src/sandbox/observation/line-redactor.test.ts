import { describe, expect, it } from "vitest";
import type { Identity } from "../state/company-record.js";
import { createLineRedactor } from "./line-redactor.js";
import { RetiredSecrets } from "./redact.js";

function identity(name: string): Identity {
  return { id: `company_${name}`, secretKey: `key-${name}-1`, tokens: [{ token: `token-${name}-1`, expiresAt: null }] };
}

function guard(...names: string[]) {
  const companies = names.map((name) => ({ record: { identity: identity(name) } }));
  const retired = new RetiredSecrets();
  const redactor = createLineRedactor({ companies, options: { adminToken: "admin-1" }, retired });
  return {
    companies,
    retired,
    redactor,
    /** What is left of the two credentials of each of these, and of the admin's. */
    shown: (...of: string[]): string =>
      redactor().text(["admin-1", ...of.flatMap((name) => [`key-${name}-1`, `token-${name}-1`])].join(" ")),
  };
}

const redacted = (count: number): string => Array.from({ length: count }, () => "[redacted]").join(" ");

describe("the redactor of lines", () => {
  it("is made once for as long as nothing changes", () => {
    const { redactor } = guard("a", "b");
    expect(redactor()).toBe(redactor());
  });

  it("knows each company from its beginning on, however many come", () => {
    const { companies, shown } = guard("a");
    const names = ["a"];
    for (let n = 1; n <= 200; n++) {
      names.push(`n${n}`);
      companies.push({ record: { identity: identity(`n${n}`) } });
      if (n % 7 === 0) expect(shown("a", `n${n}`)).toBe(redacted(5));
    }
    expect(shown(...names)).toBe(redacted(1 + 2 * names.length));
  });

  it("knows each that is there and each that went, through thousands that come and go", () => {
    const { companies, retired, shown } = guard("a");
    for (let n = 1; n <= 12_000; n++) {
      companies.push({ record: { identity: identity(`n${n}`) } });
      const [gone] = companies.length > 3 ? companies.splice(1, 1) : [];
      if (gone !== undefined) retired.add(gone.record.identity);
      if (n % 2_999 === 0) expect(shown("a", `n${n}`, `n${n - 1}`, `n${n - 900}`)).toBe(redacted(9));
    }
    expect(shown("a", "n12000", "n11999", "n9000")).toBe(redacted(9));
  });

  it("knows what was replaced, also what came and went between two lines", () => {
    const { companies, retired, shown } = guard("a");
    expect(shown("a")).toBe(redacted(3));
    retired.add(identity("a"));
    retired.add(identity("brief"));
    companies[0] = { record: { identity: identity("next") } };
    expect(shown("a", "brief", "next")).toBe(redacted(7));
  });
});
