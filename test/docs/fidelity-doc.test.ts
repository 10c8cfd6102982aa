import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { settings } from "../../src/domain/profile/settings.js";
import { parsePage } from "../support/markdown.js";
import { contractText, decisionsOf, openPoints, renderOpenPoints, settingsFor } from "../support/open-points.js";

const path = "docs/fidelity.md";
const text = readFileSync(path, "utf8");
const decisions = decisionsOf(parsePage(path, text));

describe("what the contract leaves open", () => {
  it("is found completely", () => {
    const words = contractText.match(/not shown(?! in)|not carried|ambiguous/g) ?? [];
    const found = openPoints().flatMap(({ sentence }) => contractText.split(sentence).slice(1));
    expect(found).toHaveLength(words.length);
    expect(words.length).toBeGreaterThan(20);
  });

  it.each(openPoints().map(({ sentence }) => sentence))("%s: a setting or a decision quotes it", (sentence) => {
    const quoting = [...settingsFor(sentence), ...decisions.filter(({ quotes }) => quotes.includes(sentence))];
    expect(quoting).not.toEqual([]);
  });

  it.each(settings.map(({ path: setting, contract }) => [setting, contract] as const))(
    "%s quotes the contract word for word, or says that there is nothing to quote",
    (_, contract) => {
      expect(contract.startsWith("Not in the contract: ") ? contract : contractText).toContain(contract);
    },
  );

  it("is quoted word for word by each decision", () => {
    expect(decisions.length).toBeGreaterThan(0);
    for (const { quotes, choice, question } of decisions) {
      expect(quotes).not.toEqual([]);
      for (const quote of quotes) expect(contractText).toContain(quote);
      expect(choice).not.toBe("");
      expect(question).toMatch(/\?$/);
    }
  });

  it("is a table in docs/fidelity.md; UPDATE_DOCS=1 writes it", () => {
    const rendered = text.replace(
      /(<!-- Generated from .*-->\n)[^]*?(<!-- \/Generated -->)/,
      (_, begin: string, end: string) => `${begin}\n${renderOpenPoints(decisions)}\n\n${end}`,
    );
    expect(rendered).toContain(renderOpenPoints(decisions));
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(path, rendered);
    expect(readFileSync(path, "utf8")).toBe(rendered);
  });
});
