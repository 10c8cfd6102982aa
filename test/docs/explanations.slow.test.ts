import { describe, expect, it } from "vitest";
import { folderWith } from "../support/folder.js";
import { followSteps, stepsOf } from "../support/follow-page.js";
import { openPage } from "../support/open-page.js";

describe.each([openPage("docs/fidelity.md"), openPage("docs/isolation.md")])("$path", (page) => {
  const steps = stepsOf(page);

  it("has commands that print what it shows", { timeout: 60_000 }, async () => {
    const cwd = await folderWith({});
    await expect(followSteps(steps, { url: "http://127.0.0.1:4010", cwd })).resolves.toBeUndefined();
  });
});
