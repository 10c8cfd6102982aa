import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { operationIds, operations } from "../../src/contract/operations.js";
import { defaultProfile } from "../../src/domain/profile/parse-profile.js";
import { topicSpellings } from "../../src/domain/values/topic.js";
import { numberBehaviours } from "../../src/domain/accounts/test-numbers.js";
import { givenSchema } from "../../src/scenarios/file/scenario-schema.js";
import { operators } from "../../src/kernel/matchers.js";
import { type CoveragePlan, planCoverage } from "../../src/sandbox/coverage/coverage-plan.js";
import { keyOf } from "../../src/sandbox/coverage/coverage-report.js";
import { loadScenario } from "../../src/scenarios/file/parse-scenario.js";
import type { Scenario } from "../../src/scenarios/file/scenario.js";
import { stepKeywords } from "../../src/scenarios/file/step-schemas.js";
import { allSteps, type Replayed, replayAll } from "../support/scenarios.js";

const files = readdirSync("scenarios", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".yaml"))
  .sort()
  .map((file) => `scenarios/${file}`);
const textOf = (file: string): string => readFileSync(file, "utf8");
const texts = files.map(textOf).join("\n");

let scenarios: Scenario[];
let replayed: Replayed;

beforeAll(async () => {
  scenarios = await Promise.all(files.map(loadScenario));
  replayed = await replayAll(scenarios);
}, 60_000);

describe("the shipped scenarios", () => {
  it("all pass", () => {
    expect(replayed.failures).toBe("");
    expect(replayed.counts).toEqual({ passed: files.length, failed: 0, error: 0, skipped: 0 });
    expect(files.length).toBeGreaterThanOrEqual(28);
  });

  it.each(files)("%s is documentation", (file) => {
    const scenario = scenarios.find((each) => each.file === file);
    const root = "../".repeat(file.split("/").length - 1);
    expect(textOf(file).split("\n", 1)).toEqual([`# yaml-language-server: $schema=${root}schema/scenario.schema.json`]);
    expect(scenario?.name).toMatch(/^[A-Z].*\s.*[^.]$/);
    expect(scenario?.tags).not.toEqual([]);
    expect(scenarios.filter(({ name }) => name === scenario?.name)).toHaveLength(1);
  });
});

describe("together they cover the contract", () => {
  it("everything that coverage counts, under the default profile", () => {
    const { operations, transitions, causes, topics } = replayed.coverage;
    const isMet = ({ met }: { met: boolean }): boolean => met;
    const covered = namesOf({
      operations: operations.filter(isMet),
      transitions: transitions.filter(isMet),
      causes: causes.filter(isMet),
      topics: topics.filter(isMet),
    });
    expect(namesOf(planCoverage(defaultProfile())).filter((name) => !covered.includes(name))).toEqual([]);
  });

  it.each(operationIds)("every status of %s, and every cause in the table of errors", (id) => {
    const statuses = new Set(
      replayed.exchanges.filter(({ operation }) => operation === id).map(({ status }) => status),
    );
    const missing = operations[id].errors
      .filter(({ status }) => !statuses.has(status))
      .map(({ status, cause }) => `${status}: ${cause}`);
    expect(missing).toEqual([]);
    expect([...statuses].some((status) => status < 300)).toBe(true);
  });

  it("every field that the table of errors says may be missing or invalid", () => {
    const messages = replayed.exchanges
      .filter(({ operation, status }) => operation === "createCharge" && status === 400)
      .flatMap(({ body }) => body.message as string[]);
    for (const field of [
      "amount",
      "externalId",
      "description",
      "onCanceledRedirectionUrl",
      "onCompletedRedirectionUrl",
    ]) {
      expect(messages).toContainEqual(expect.stringMatching(`^${field} .*but it is missing`));
      expect(messages).toContainEqual(expect.stringMatching(`^${field} .*, got `));
    }
  });

  it("every state of a charge, a transaction and a batch in an answer", () => {
    const statuses = (...ids: string[]): Set<unknown> =>
      new Set(
        replayed.exchanges
          .filter(({ operation, status }) => status < 300 && ids.includes(operation ?? ""))
          .map(({ body }) => body.status),
      );
    expect(statuses("createCharge", "payCharge", "getCharge", "refundCharge")).toEqual(
      new Set(["created", "due", "paid", "dropped", "refunded", "refunded_partially"]),
    );
    expect(statuses("createTransaction", "getTransaction")).toEqual(new Set(["pending", "completed", "failed"]));
    expect(statuses("createBatch")).toEqual(new Set(["processing"]));
  });

  it("every topic in both spellings, and every change of a charge with a webhook", () => {
    const topics = replayed.payloads.map(({ topic }) => topic as string);
    expect([...new Set(topics)].sort()).toEqual([...topicSpellings].sort());
    const ofCharges = replayed.payloads.filter(({ topic }) => topic === "charges/events");
    expect(new Set(ofCharges.map(({ data }) => data.status))).toEqual(
      new Set(["paid", "dropped", "refunded", "refunded_partially"]),
    );
  });

  it("every reserved number", () => {
    const missing = Object.keys(numberBehaviours).filter((role) => !texts.includes(`\${testNumbers.${role}}`));
    expect(missing).toEqual([]);
  });
});

describe("together they show the whole format", () => {
  /** Rules are covered by the shipped scenarios about rules. */
  const later = ["rule", "rules"];

  it("every kind of step", () => {
    const used = new Set<string>(scenarios.flatMap(({ steps }) => allSteps(steps).map(({ kind }) => kind)));
    if (/^ *- noWebhook:/m.test(texts)) used.add("noWebhook");
    expect(stepKeywords.filter((keyword) => !used.has(keyword) && !later.includes(keyword))).toEqual([]);
  });

  it("every matcher", () => {
    expect(Object.keys(operators).filter((name) => !texts.includes(`${name}:`))).toEqual([]);
  });

  it("everything that can be given", () => {
    const given = new Set(scenarios.flatMap(({ givenKeys }) => givenKeys));
    expect(Object.keys(givenSchema.shape).filter((key) => !given.has(key) && !later.includes(key))).toEqual([]);
  });
});

function namesOf({ operations, transitions, causes, topics }: CoveragePlan): string[] {
  return [
    ...operations.map(keyOf.operations),
    ...transitions.map(keyOf.transitions),
    ...causes.map(keyOf.causes),
    ...topics.map(keyOf.topics),
  ];
}
