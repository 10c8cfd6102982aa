import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseSource } from "../../src/adapters/files/source.js";
import { operators } from "../../src/kernel/matchers.js";
import { givenSchema } from "../../src/scenarios/file/scenario-schema.js";
import { parseScenario } from "../../src/scenarios/file/parse-scenario.js";
import { stepKeywords } from "../../src/scenarios/file/step-schemas.js";
import type { Block } from "../support/markdown.js";
import { openPage, textOf } from "../support/open-page.js";
import { runShell } from "../support/shell.js";
import { folderWith } from "../support/folder.js";
import { replayAll } from "../support/scenarios.js";

const page = openPage("docs/scenarios.md");
const blocks = page.take("yaml");
const commands = textOf(page.take("sh"));
const isSteps = ({ text }: Block): boolean => text.startsWith("- ");
const worldOfShort = blocks.find(({ text }) => text.includes("The start of the short examples"))?.text ?? "";

/** A scenario of the page. Blocks that have only steps get a beginning. */
const scenarioOf = (block: Block): string =>
  isSteps(block) ? `${worldOfShort}\n${block.text.replaceAll(/^(?=.)/gm, "  ")}` : block.text;

describe("docs/scenarios.md", () => {
  it.each(blocks.map((block, index) => [index + 1, block.heading, block] as const))(
    "example %i, under %s, replays",
    async (_, __, block) => {
      const scenario = await parseScenario(parseSource(scenarioOf(block), "docs/example.yaml"));
      const { failures, counts } = await replayAll([scenario]);
      expect(failures).toBe("");
      expect(counts.passed).toBe(1);
    },
  );

  it("has commands that work", { timeout: 60_000 }, async () => {
    const [first] = blocks;
    const cwd = await folderWith({ "scenarios/first.yaml": first?.text ?? "", "charge.yaml": first?.text ?? "" });
    const printed = await runShell(commands, { url: "http://127.0.0.1:4010", cwd });
    expect(printed.match(/^1 passed/gm) ?? printed).toHaveLength(2);
    expect(printed).toContain("charge.yaml: ok (scenario)");
  });

  it("shows every step, every matcher and everything that can be given", () => {
    const shown = JSON.stringify(blocks.map(({ text }): unknown => parse(text)));
    const names = [...stepKeywords, ...Object.keys(operators), ...Object.keys(givenSchema.shape)];
    expect(names.filter((name) => !shown.includes(`"${name}":`) && !["rule", "rules"].includes(name))).toEqual([]);
    for (const keyword of stepKeywords)
      expect(page.headings.map(({ text }) => text).join("\n")).toMatch(new RegExp(String.raw`\b${keyword}\b`));
  });
});
