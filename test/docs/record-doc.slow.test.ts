import { expect, it } from "vitest";
import { folderWith } from "../support/folder.js";
import { followSteps, stepsOf } from "../support/follow-page.js";
import { openPage } from "../support/open-page.js";

const steps = stepsOf(openPage("docs/record.md"));

it("docs/record.md has commands that print what it shows", { timeout: 60_000 }, async () => {
  expect(steps).toHaveLength(1);
  await followSteps(steps, { url: "http://127.0.0.1:4010", cwd: await folderWith({}) });
});
