import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderWith } from "../support/folder.js";
import { followSteps, stepsOf } from "../support/follow-page.js";
import { root } from "../support/markdown.js";
import { openPage } from "../support/open-page.js";

describe("docs/tutorial.md", () => {
  const page = openPage("docs/tutorial.md");
  const steps = stepsOf(page);
  page.leave("installs; test/package does it, and goes through the tutorial with what it has installed", "sh");

  it("has commands that print what it shows", { timeout: 60_000 }, async () => {
    const cwd = await folderWith({ "package.json": "{}" });
    await mkdir(join(cwd, "node_modules"));
    await symlink(root, join(cwd, "node_modules/business-payments-sandbox"));
    await expect(followSteps(steps, { url: "http://127.0.0.1:4010", cwd })).resolves.toBeUndefined();
  });
});
