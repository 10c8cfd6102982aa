import { readdirSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { findingKinds } from "../../src/sandbox/findings/finding.js";
import { loadScenario } from "../../src/scenarios/file/parse-scenario.js";
import type { Scenario } from "../../src/scenarios/file/scenario.js";
import { replayAll } from "../support/scenarios.js";

const files = readdirSync("scenarios", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".yaml"))
  .sort()
  .map((file) => `scenarios/${file}`);

/** Kinds that depend on a receiver, on connections or on the end of a run: `test/api/findings` and `test/clients` test them. */
const WITHOUT_A_SCENARIO = [
  "webhook-slow",
  "forged-webhook-acknowledged",
  "concurrent-payouts",
  "outcome-never-learned",
];

let scenarios: Scenario[];
/** The kinds of findings of each scenario. */
const found = new Map<string, readonly string[]>();

beforeAll(async () => {
  scenarios = await Promise.all(files.map(loadScenario));
  const { results, failures } = await replayAll(scenarios);
  expect(failures).toBe("");
  for (const { scenario, seen } of results)
    found.set(
      scenario.file,
      seen.findings.map(({ kind }) => kind),
    );
}, 60_000);

describe("findings of a shipped scenario", () => {
  it.each(files)("%s: has findings exactly when it has the tag `findings`", (file) => {
    const tags = scenarios.find((scenario) => scenario.file === file)?.tags ?? [];
    if (tags.includes("findings")) expect(found.get(file)).not.toEqual([]);
    else expect(found.get(file)).toEqual([]);
  });

  it.each(Object.keys(findingKinds).filter((kind) => !WITHOUT_A_SCENARIO.includes(kind)))(
    "scenarios/findings/%s.yaml: with that and nothing else",
    (kind) => {
      expect(new Set(found.get(`scenarios/findings/${kind}.yaml`))).toEqual(new Set([kind]));
    },
  );
});
