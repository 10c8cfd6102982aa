import { describe, expect, it } from "vitest";
import { coverageSections } from "../../src/sandbox/coverage/coverage-report.js";
import { readPage } from "../support/markdown.js";
import { createWorld } from "../support/world.js";

describe("docs/coverage.md", () => {
  const page = readPage("docs/coverage.md");

  it("explains each section", () => {
    const [sections] = page.tables.filter(({ heading }) => heading === "What is counted");
    expect(sections?.rows.map(([name]) => name)).toEqual(coverageSections.map((name) => `\`${name}\``));
  });
});

it("docs/control-api.md shows the items of an answer", async () => {
  const world = createWorld();
  await world.control("POST", "/rules", { on: "request", match: { path: "/v1/balance" }, then: { status: 500 } });
  const { body } = await world.control("GET", "/coverage");
  await world.close();
  const [shown] = readPage("docs/control-api.md").blocks.filter(
    ({ heading, language }) => heading === "GET /_sandbox/coverage" && language === "json",
  );
  const example = JSON.parse(shown?.text ?? "{}");
  expect(Object.keys(example)).toEqual([...coverageSections]);
  for (const section of coverageSections) {
    for (const item of example[section]) expect(Object.keys(item)).toEqual(Object.keys(body[section][0]));
  }
});
