import { describe, expect, it } from "vitest";
import { auditSpecimen, mistakesIn } from "../support/audits.js";
import { explained, sound, unsound } from "./further-applications.js";

describe("an audit", { timeout: 60_000 }, () => {
  it.each(Object.entries(sound))("passes an application that %s", async (_, specimen) => {
    const report = await auditSpecimen(specimen);
    expect([report.verdict, report.reasons, mistakesIn(report)]).toEqual(["passed", [], []]);
  });

  it.each(Object.entries(unsound))("names an application that %s", async (_, specimen) => {
    expect(mistakesIn(await auditSpecimen(specimen))).toEqual(specimen.finds);
  });

  it.each(Object.entries(explained))("says what it needs to judge one that %s", async (_, specimen) => {
    const { verdict, reasons, advice } = await auditSpecimen(specimen);
    expect(verdict).not.toBe("passed");
    expect([...reasons, ...advice].join("\n")).toMatch(specimen.says);
  });
});
