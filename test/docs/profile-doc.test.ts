import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { renderProfileMarkdown } from "../../src/domain/profile/describe-profile.js";
import { settings } from "../../src/domain/profile/settings.js";

const page = new URL("../../docs/profile.md", import.meta.url);

describe("docs/profile.md", () => {
  it("is rendered from the settings; UPDATE_DOCS=1 writes it", async () => {
    const rendered = renderProfileMarkdown();
    if (process.env["UPDATE_DOCS"] === "1") await writeFile(page, rendered);
    expect(await readFile(page, "utf8")).toBe(rendered);
  });

  it("has every setting with its default and the contract's words", () => {
    const rendered = renderProfileMarkdown();
    for (const setting of settings) {
      expect(rendered).toContain(`## ${setting.path}\n`);
      expect(rendered).toContain(setting.contract);
    }
  });
});
