import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseSource } from "../../src/adapters/files/source.js";
import { ruleKinds, requestFaults } from "../../src/domain/model/rule.js";
import { configSchema } from "../../src/sandbox/config/config-schema.js";
import { ruleSchema } from "../../src/sandbox/state/rule-schema.js";
import { renderSchema } from "../../src/sandbox/config/json-schema.js";
import { parseScenario } from "../../src/scenarios/file/parse-scenario.js";
import { startLive } from "../support/live.js";
import { openPage, textOf } from "../support/open-page.js";
import { runShell } from "../support/shell.js";
import { replayAll } from "../support/scenarios.js";

const page = openPage("docs/rules.md");
const commands = textOf(page.take("bash"));
const beginsWith =
  (start: string) =>
  ({ text }: { readonly text: string }): boolean =>
    text.startsWith(start);
const configs = page.take("yaml", beginsWith("# sandbox.config.yaml"));
const scenarios = page.take("yaml", beginsWith("# scenario"));
const lists = page.take("yaml", beginsWith("# rules"));
const files = page.take("yaml", beginsWith("# lost-answer.yaml"));

describe("docs/rules.md", () => {
  it("has commands that work", { timeout: 60_000 }, async () => {
    const { url } = await startLive();
    expect(await runShell(commands, { url })).toContain('"reason":"limit_exceeded"');
  });

  it("has a valid configuration", () => {
    for (const { text } of configs) expect(configSchema("").safeParse(parse(text)).error).toBeUndefined();
  });

  it("has a scenario that passes", async () => {
    const parsed = scenarios.map(({ text }) => parseScenario(parseSource(text, "rules.yaml")));
    const { failures, counts } = await replayAll(await Promise.all(parsed));
    expect(failures).toBe("");
    expect(counts.passed).toBe(scenarios.length);
  });

  it("has valid rules of every kind", () => {
    const rules = [...lists, ...files].flatMap(({ text }): unknown[] => parse(text));
    expect(rules.length).toBeGreaterThan(10);
    const kinds = rules.map((rule) => {
      const parsed = ruleSchema.safeParse(rule);
      expect(parsed.error?.issues, JSON.stringify(rule)).toBeUndefined();
      return parsed.data?.on;
    });
    expect(new Set(kinds)).toEqual(new Set(ruleKinds));
  });

  it("names every effect, every fault and every member that can be matched", () => {
    const schema = JSON.stringify(renderSchema(ruleSchema));
    const names = [...schema.matchAll(/"properties":(\{.*?\}),"(?:required|additionalProperties)"/g)];
    expect(names.length).toBeGreaterThan(0);
    const text =
      page.blocks.map((block) => block.text).join("\n") + page.tables.flatMap(({ rows }) => rows.flat()).join("\n");
    const effects = ["delay", "status", "body", "headers", "fault", "commit", "outcome", "reason", "after", "error"];
    const more = ["drop", "duplicate", "corruptSignature", "truncate", "before", "reverse", ...requestFaults];
    for (const name of [...effects, ...more]) {
      expect(schema).toContain(name);
      expect(text).toContain(name);
    }
  });
});
