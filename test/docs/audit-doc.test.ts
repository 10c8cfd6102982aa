import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { byGroup } from "../../src/audit/report.js";
import { allChecks } from "../../src/audit/check-list.js";
import { bugs } from "../../src/audit/checks/bugs.js";
import { languageNames, snippetLanguages, snippets } from "../../src/audit/checks/snippets.js";

const page = new URL("../../docs/audit.md", import.meta.url);
const BEGIN = "<!-- Generated from src/audit: UPDATE_DOCS=1 npx vitest run test/docs writes it anew. -->\n";

describe("docs/audit.md", () => {
  it("has every check and snippet of the code; UPDATE_DOCS=1 writes them", async () => {
    const text = await readFile(page, "utf8");
    const [written = ""] = text.split(BEGIN);
    const rendered = `${written}${BEGIN}\n${renderSnippets()}${renderChecks()}`;
    if (process.env["UPDATE_DOCS"] === "1") await writeFile(page, rendered);
    expect(await readFile(page, "utf8")).toBe(rendered);
  });

  it("has an example of the mistake that each check looks for", () => {
    expect(Object.keys(bugs)).toEqual(allChecks.map(({ id }) => id));
  });
});

function renderSnippets(): string {
  const sections = Object.values(snippets).map(({ title, code }) => {
    const blocks = snippetLanguages.map(
      (name) => `${languageNames[name]}:\n\n\`\`\`${fences[name]}\n${code[name]}\n\`\`\`\n`,
    );
    return `### ${title}\n\n${blocks.join("\n")}`;
  });
  return `## A receiver that passes\n\nA receiver of these pieces passes the audit, in each language.\n\n${sections.join("\n")}\n`;
}

const fences = { node: "js", python: "python", php: "php" } as const;

function renderChecks(): string {
  const groups = byGroup(allChecks).map(({ id: group, title: groupTitle, checks }) => {
    const rows = checks.map(({ id, severity, title }) => `| [\`${id}\`](#${id}) | ${severity} | ${title} |`);
    const sections = checks.map(({ id, why, fix }) => {
      const bug = bugs[id];
      const shown = bug === undefined ? "" : `\n\`\`\`\n${bug}\n\`\`\`\n`;
      return `#### ${id}\n${shown}\n${why}\n\n**Fix:** ${fix}\n`;
    });
    const table = ["| check | severity | a sound receiver |", "|---|---|---|", ...rows].join("\n");
    return `### ${groupTitle} (\`${group}\`)\n\n${table}\n\n${sections.join("\n")}`;
  });
  return `## The checks\n\nEach with a line of code that makes the mistake.\n\n${groups.join("\n")}`;
}
