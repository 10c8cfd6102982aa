import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { checkArchitecture, checkFolderSizes, formatViolations, type SourceFile } from "./support/architecture.js";

const root = fileURLToPath(new URL("..", import.meta.url));

it("src/ keeps its rings, and no state in modules", () => {
  expect(formatViolations(checkArchitecture(readSources()))).toBe("");
});

it("each folder of src/ holds 4 to 15 files", () => {
  expect(formatViolations(checkFolderSizes(readSources()))).toBe("");
});

it("docs/architecture.md lists each folder of src/ with what it holds, and names only files that exist", () => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const listed = [...page.matchAll(/^\| `([a-z/]+)\/` \| \S.*\|$/gm)].map(([, folder = ""]) => folder);
  const folders = readSources().flatMap(({ path }) => (path.includes("/") ? [posix.dirname(path)] : []));
  expect(listed.toSorted()).toEqual([...new Set(folders)].toSorted());
  const named = [
    ...page.matchAll(/`((?:kernel|domain|contract|adapters|sandbox|http|scenarios|audit|cli)\/[\w./-]+)`/g),
  ];
  expect(named.map(([, path = ""]) => path).filter((path) => !existsSync(join(root, "src", path)))).toEqual([]);
});

function readSources(): SourceFile[] {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => /(?<!\.d)\.tsx?$/.test(path))
    .sort()
    .map((path) => ({ path: path.split(sep).join("/"), text: readFileSync(join(root, "src", path), "utf8") }));
}
