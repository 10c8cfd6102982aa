import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

/** The parts of a documentation page that tests check. */
export interface Page {
  /** Relative to the repository. */
  readonly path: string;
  readonly headings: readonly Heading[];
  readonly blocks: readonly Block[];
  readonly tables: readonly Table[];
  /** Targets of links: `page.md#anchor`, `#anchor`, `https://…`. */
  readonly links: readonly string[];
}

interface Heading {
  readonly text: string;
  /** The anchor that GitHub makes of it. */
  readonly anchor: string;
}

/** A fenced block of code. */
export interface Block {
  /** The language after the fence, `bash`; may be empty. */
  readonly language: string;
  readonly text: string;
  /** The heading above it. */
  readonly heading: string;
}

interface Table {
  readonly heading: string;
  readonly header: readonly string[];
  /** Cell by cell, as written. */
  readonly rows: readonly (readonly string[])[];
}

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Every documentation page, relative to the repository. */
export const allPages: readonly string[] = [
  "README.md",
  "README.fr.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...["docs", "examples"].flatMap(pagesIn),
];

function pagesIn(folder: string): string[] {
  const names = readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".md")).map((name) => posix.join(folder, name));
}

export function readPage(path: string): Page {
  return parsePage(path, readFileSync(`${root}${path}`, "utf8"));
}

/** Parses headings with `#`, fenced blocks, tables with pipes, and inline links, the only forms that the documentation uses. */
export function parsePage(path: string, text: string): Page {
  const headings: Heading[] = [];
  const blocks: Block[] = [];
  const tables: { heading: string; header: string[]; rows: string[][] }[] = [];
  const prose: string[] = [];
  let open: { language: string; lines: string[] } | undefined;
  let lastWasRow = false;
  for (const line of text.split("\n")) {
    const heading = headings.at(-1)?.text ?? "";
    const fence = /^```(\w*)$/.exec(line);
    const cells = open === undefined ? cellsOf(line) : undefined;
    if (fence !== null && open === undefined) open = { language: fence[1] ?? "", lines: [] };
    else if (fence !== null && open !== undefined) {
      blocks.push({ language: open.language, text: open.lines.join("\n"), heading });
      open = undefined;
    } else if (open !== undefined) open.lines.push(line);
    else if (cells !== undefined && !lastWasRow) tables.push({ heading, header: cells, rows: [] });
    else if (cells !== undefined && !cells.every((cell) => /^:?-+:?$/.test(cell))) tables.at(-1)?.rows.push(cells);
    const title = open === undefined ? /^#{1,6} (.+)$/.exec(line)?.[1] : undefined;
    if (title !== undefined) headings.push({ text: title, anchor: anchorOf(title, headings) });
    if (open === undefined && fence === null) prose.push(line);
    lastWasRow = cells !== undefined;
  }
  const links = [...prose.join("\n").matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = ""]) => target);
  return { path, headings, blocks, tables, links };
}

function cellsOf(line: string): string[] | undefined {
  if (!/^\|.*\|$/.test(line)) return undefined;
  return line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());
}

/** Lower case, without punctuation, with dashes for spaces; the second of two equal anchors ends with -1. */
function anchorOf(title: string, before: readonly Heading[]): string {
  const text = title.replaceAll(/[`*]/g, "").toLowerCase();
  const anchor = text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
  const repeated = before.filter((other) => other.text.toLowerCase() === title.toLowerCase()).length;
  return repeated === 0 ? anchor : `${anchor}-${repeated}`;
}
