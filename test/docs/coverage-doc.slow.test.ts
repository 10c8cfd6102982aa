import { describe, expect, it } from "vitest";
import { startLive } from "../support/live.js";
import { openPage, textOf } from "../support/open-page.js";
import { runShell } from "../support/shell.js";

describe("docs/coverage.md", () => {
  const page = openPage("docs/coverage.md");
  const commands = textOf(page.take("bash"));

  it("has commands that work", { timeout: 60_000 }, async () => {
    const { url } = await startLive({ clock: "running" });
    const printed = await runShell(commands, { url });
    expect(printed).toContain('{"percent":0,"met":0,"total":');
    expect(printed).toContain("# Coverage of the contract");
  });
});
