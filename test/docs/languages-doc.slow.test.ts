import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { folderWith } from "../support/folder.js";
import { followSteps, stepsOf } from "../support/follow-page.js";
import { openPage } from "../support/open-page.js";

const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe("docs/languages.md", () => {
  const steps = stepsOf(openPage("docs/languages.md"));

  // Python is on every machine that runs all of .ci/run; without it the page cannot be followed.
  it.skipIf(!hasPython)("has commands that print what it shows", { timeout: 60_000 }, async () => {
    const cwd = await folderWith({});
    await expect(followSteps(steps, { url: "http://127.0.0.1:4010", cwd })).resolves.toBeUndefined();
  });
});
