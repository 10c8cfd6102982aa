import { describe, expect, it } from "vitest";
import { settings } from "../../src/domain/profile/settings.js";
import { folderWith } from "../support/folder.js";
import { followSteps, stepsOf } from "../support/follow-page.js";
import { openPage } from "../support/open-page.js";

const fidelity = openPage("docs/fidelity.md");

describe.each([fidelity, openPage("docs/isolation.md")])("$path", (page) => {
  const steps = stepsOf(page);

  it("has commands that print what it shows", { timeout: 60_000 }, async () => {
    const cwd = await folderWith({});
    await expect(followSteps(steps, { url: "http://127.0.0.1:4010", cwd })).resolves.toBeUndefined();
  });
});

describe("docs/fidelity.md", () => {
  it("asks about settings that there are", () => {
    const [questions] = fidelity.tables.filter(({ heading }) => heading === "What is a choice");
    const named = questions?.rows.map(([, setting = ""]) => setting.replaceAll("`", "")) ?? [];
    const paths = settings.map(({ path }) => path);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((setting) => !paths.includes(setting))).toEqual([]);
  });
});
