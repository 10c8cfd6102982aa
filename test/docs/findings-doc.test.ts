import { describe, expect, it } from "vitest";
import { findingKinds } from "../../src/sandbox/findings/finding.js";
import { readPage } from "../support/markdown.js";

describe("docs/findings.md", () => {
  const page = readPage("docs/findings.md");

  it("has every kind in its table, and a section for each", () => {
    const listed = page.tables[0]?.rows.map(([kind = ""]) => /`(.+?)`/.exec(kind)?.[1]);
    expect(listed?.toSorted()).toEqual(Object.keys(findingKinds).sort());
    expect(page.headings.slice(1).map(({ text }) => text)).toEqual(listed);
  });
});
