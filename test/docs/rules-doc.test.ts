import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseSource } from "../../src/adapters/files/source.js";
import { ruleKinds, requestFaults } from "../../src/domain/rules/rule.js";
import { configSchema } from "../../src/sandbox/config/config-schema.js";
import { ruleSchema } from "../../src/sandbox/rules/rule-schema.js";
import { renderSchema } from "../../src/sandbox/config/json-schema.js";
import { parseScenario } from "../../src/scenarios/parse-scenario.js";
import { startLive } from "../support/live.js";
import { readPage } from "../support/markdown.js";
import { runShell } from "../support/shell.js";
import { replayAll } from "../support/stories.js";

const page = readPage("docs/rules.md");
const blocksOf = (language: string, start = "") =>
  page.blocks.filter((block) => block.language === language && block.text.startsWith(start));

describe("docs/rules.md", () => {
  it("has lines that work", { timeout: 60_000 }, async () => {
    const { url } = await startLive();
    const lines = blocksOf("bash").map(({ text }) => text);
    expect(await runShell(lines.join("\n"), { url })).toContain('"reason":"limit_exceeded"');
  });

  it("has a configuration that is right", () => {
    const [config] = blocksOf("yaml", "# sandbox.config.yaml");
    expect(configSchema("").safeParse(parse(config?.text ?? "")).error).toBeUndefined();
  });

  it("has a scenario that comes out as told", async () => {
    const [story] = blocksOf("yaml", "# scenario");
    const { failures, counts } = await replayAll([await parseScenario(parseSource(story?.text ?? "", "rules.yaml"))]);
    expect(failures).toBe("");
    expect(counts.passed).toBe(1);
  });

  it("has rules of every kind, and each is right", () => {
    const rules = blocksOf("yaml", "# rules").flatMap(({ text }): unknown[] => parse(text));
    expect(rules.length).toBeGreaterThan(10);
    const kinds = rules.map((rule) => {
      const parsed = ruleSchema.safeParse(rule);
      expect(parsed.error?.issues, JSON.stringify(rule)).toBeUndefined();
      return parsed.data?.on;
    });
    expect(new Set(kinds)).toEqual(new Set(ruleKinds));
  });

  it("tells of every effect, every fault and everything that can be matched", () => {
    const schema = JSON.stringify(renderSchema(ruleSchema));
    const names = [...schema.matchAll(/"properties":(\{.*?\}),"(?:required|additionalProperties)"/g)];
    expect(names.length).toBeGreaterThan(0);
    const text = page.blocks.map((block) => block.text).join("\n") + page.tables.flatMap(({ rows }) => rows.flat()).join("\n");
    const effects = ["delay", "status", "body", "headers", "fault", "commit", "outcome", "reason", "after", "error"];
    const more = ["drop", "duplicate", "corruptSignature", "truncate", "before", "reverse", ...requestFaults];
    for (const name of [...effects, ...more]) {
      expect(schema).toContain(name);
      expect(text).toContain(name);
    }
  });
});
