import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { allPages, parsePage, readPage, root } from "../support/markdown.js";

describe("links", () => {
  it.each(allPages)("of %s lead somewhere", (path) => {
    const page = readPage(path);
    expect(page.links.filter((link) => !leadsSomewhere(path, link))).toEqual([]);
  });

  it.each(allPages)("in %s: the files of the repository that it names exist", (path) => {
    const named = readFileSync(`${root}${path}`, "utf8").matchAll(
      /`((?:\.ci|bin|docs|examples|fixtures|scripts|src|test)\/[\w./-]+)`/g,
    );
    expect([...named].map(([, file = ""]) => file).filter((file) => !existsSync(`${root}${file}`))).toEqual([]);
  });

  it("of docs/README.md lead to every other page of docs/", () => {
    const linked = readPage("docs/README.md").links.map((link) => `docs/${link.replace(/#.*/, "")}`);
    const pages = allPages.filter((path) => path.startsWith("docs/") && path !== "docs/README.md");
    expect(pages.filter((path) => !linked.includes(path))).toEqual([]);
  });

  it("of all pages together lead a reader to every page", () => {
    const linked = allPages.flatMap((path) =>
      readPage(path).links.map((link) => posix.join(posix.dirname(path), link.replace(/#.*/, ""))),
    );
    expect(allPages.filter((path) => !path.startsWith("README.") && !linked.includes(path))).toEqual([]);
  });

  it.each(allPages.filter((path) => path !== "CHANGELOG.md" && path !== "docs/fidelity.md"))(
    "of %s lead to the contract at its first mention",
    (path) => {
      const text = readFileSync(`${root}${path}`, "utf8");
      const prose = text.replaceAll(/^```[^]*?^```$|<!--[^]*?-->|`[^`\n]*`/gm, "");
      const [first] = /\[[^\]]*\bcontra(?:ct|t)\b[^\]]*\]\([^)]*\)|\bcontra(?:ct|t)\b/i.exec(prose) ?? ["fidelity.md"];
      expect(first).toContain("fidelity.md");
    },
  );

  it("are found, and anchors are made as GitHub makes them", () => {
    const page = parsePage(
      "a.md",
      "# One `PUT /_sandbox/x/:id` & two\n## Two\n## Two\n[a](b.md#c), `[not]` [d](#two-1)\n```\n[e](f)\n# no\n```\n| [g](h) |\n|---|\n| i |",
    );
    expect(page.headings.map(({ anchor }) => anchor)).toEqual(["one-put-_sandboxxid--two", "two", "two-1"]);
    expect(page.links).toEqual(["b.md#c", "#two-1", "h"]);
    expect(page.tables).toEqual([{ heading: "Two", header: ["[g](h)"], rows: [["i"]] }]);
    expect(leadsSomewhere("docs/profile.md", "no-such-page.md")).toBe(false);
    expect(leadsSomewhere("docs/profile.md", "#no-such-heading")).toBe(false);
    expect(leadsSomewhere("docs/profile.md", "../README.md#next")).toBe(true);
  });
});

/** Whether a link leads to a file of the repository, and in a page to a heading. Addresses elsewhere are only parsed: no test depends on them. */
function leadsSomewhere(from: string, link: string): boolean {
  if (/^\w+:/.test(link)) return link.startsWith("https://") && URL.canParse(link);
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? from : posix.join(posix.dirname(from), file);
  if (!existsSync(`${root}${target}`)) return false;
  return anchor === undefined || readPage(target).headings.some((heading) => heading.anchor === anchor);
}
