import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import {
  checkArchitecture,
  checkFolderSizes,
  checkLength,
  formatViolations,
  type SourceFile,
} from "./support/architecture.js";

const root = fileURLToPath(new URL("..", import.meta.url));

it("src/ keeps its rings, and uses time, randomness and the machine only where it may", () => {
  expect(formatViolations(checkArchitecture(readSources("src")), "src/")).toBe("");
});

it("each folder of src/ holds 4 to 15 files", () => {
  expect(formatViolations(checkFolderSizes(readSources("src")), "src/")).toBe("");
});

it("docs/internals/architecture.md lists each folder of src/ with what it holds, and names only files that exist", () => {
  const page = readFileSync(join(root, "docs/internals/architecture.md"), "utf8");
  const listed = [...page.matchAll(/^\| `([a-z/]+)\/` \| \S.*\|$/gm)].map(([, folder = ""]) => folder);
  const folders = readSources("src").flatMap(({ path }) => (path.includes("/") ? [posix.dirname(path)] : []));
  expect(listed.toSorted()).toEqual([...new Set(folders)].toSorted());
  const named = [
    ...page.matchAll(/`((?:kernel|domain|contract|adapters|sandbox|http|scenarios|audit|cli)\/[\w./-]+)`/g),
  ];
  expect(named.map(([, path = ""]) => path).filter((path) => !existsSync(join(root, "src", path)))).toEqual([]);
});

it("the files of test/ are short enough", () => {
  const files = readSources("test").map(({ path, text }) => ({ path: `test/${path}`, text }));
  expect(formatViolations(checkLength(files), "")).toBe("");
});

function readSources(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /(?<!\.d)\.tsx?$/.test(path))
    .sort()
    .map((path) => ({ path: path.split(sep).join("/"), text: readFileSync(join(root, folder, path), "utf8") }));
}
