import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { faultNames } from "../../src/experiments/explore/faults.js";
import { verdicts } from "../../src/experiments/run/oracle.js";
import { folderWith } from "../support/folder.js";
import { followSteps, stepsOf } from "../support/follow-page.js";
import { startLive } from "../support/live.js";
import { root } from "../support/markdown.js";
import { openPage } from "../support/open-page.js";

const explorePage = openPage("docs/explore.md");

describe.each([explorePage, openPage("docs/vary.md"), openPage("docs/calibrate.md")])("$path", (page) => {
  const steps = stepsOf(page);

  it("has commands that print what it shows", { timeout: 120_000 }, async () => {
    const cwd = await folderWith({});
    await symlink(join(root, "examples"), join(cwd, "examples"));
    // The provider, with a running clock.
    const { url } = await startLive({ clock: "running", profile: { http: { createdStatus: 200 } } });
    const instead = { "https://staging.example": url };
    await expect(followSteps(steps, { url: "http://127.0.0.1:4010", instead, cwd })).resolves.toBeUndefined();
  });
});

describe("docs/explore.md", () => {
  const firstCells = (column: string): (string | undefined)[] =>
    explorePage.tables.filter(({ header }) => header[0] === column).flatMap(({ rows }) => rows.map(([cell]) => cell));

  it("describes each fault and each verdict", () => {
    expect(new Set(firstCells("Fault"))).toEqual(new Set(faultNames.map((name) => `\`${name}\``)));
    expect(firstCells("Verdict")).toEqual(verdicts.map((name) => `\`${name}\``));
  });
});
