import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseSource } from "../../src/adapters/files/source.js";
import { operators } from "../../src/kernel/matchers.js";
import { givenSchema } from "../../src/scenarios/given-schema.js";
import { parseScenario } from "../../src/scenarios/parse-scenario.js";
import { stepKeywords } from "../../src/scenarios/step-schemas.js";
import { replayAll } from "../support/stories.js";

const page = readFileSync("docs/scenarios.md", "utf8");

interface Block {
  readonly line: number;
  readonly text: string;
}

const blocks: Block[] = [...page.matchAll(/^```yaml\n([^]*?)^```$/gm)].map((match) => ({
  line: page.slice(0, match.index).split("\n").length,
  text: match[1] ?? "",
}));
const isSteps = ({ text }: Block): boolean => text.startsWith("- ");
const worldOfShort = blocks.find(({ text }) => text.includes("The world of the short examples"))?.text ?? "";

/** A story of the page; steps alone go on from the story that the page gives them. */
const storyOf = (block: Block): string =>
  isSteps(block) ? worldOfShort + block.text.replaceAll(/^(?=.)/gm, "  ") : block.text;

describe("docs/scenarios.md", () => {
  it.each(blocks.map((block) => [block.line, block] as const))("the example at line %i replays", async (_, block) => {
    const scenario = await parseScenario(parseSource(storyOf(block), "docs/example.yaml"));
    const { failures, counts } = await replayAll([scenario]);
    expect(failures).toBe("");
    expect(counts.passed).toBe(1);
  });

  it("shows every step, every matcher and everything that can be given", () => {
    const shown = JSON.stringify(blocks.map(({ text }): unknown => parse(text)));
    const names = [...stepKeywords, ...Object.keys(operators), ...Object.keys(givenSchema.shape)];
    expect(names.filter((name) => !shown.includes(`"${name}":`) && !["rule", "rules"].includes(name))).toEqual([]);
    for (const keyword of stepKeywords) expect(page).toMatch(new RegExp(String.raw`^### .*\b${keyword}\b`, "m"));
  });
});
