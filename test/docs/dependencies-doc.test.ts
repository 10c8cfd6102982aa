import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { describe, expect, it } from "vitest";
import { readPage, root } from "../support/markdown.js";

const page = readPage("docs/dependencies.md");
const manifest: Record<"dependencies" | "devDependencies" | "peerDependencies", Record<string, string>> = JSON.parse(
  readFileSync(`${root}package.json`, "utf8"),
);
const all = { ...manifest.dependencies, ...manifest.devDependencies };

/** The first cells of the tables under a heading, without the quotes, and the other cells of their rows. */
function listed(heading: string): Record<string, string> {
  const rows = page.tables.filter((table) => table.heading === heading).flatMap((table) => table.rows);
  return Object.fromEntries(
    rows.map(([name = "", words = ""]) => [name.replaceAll("`", ""), words.replaceAll("`", "")]),
  );
}

/** The packages that the program imports, types aside. */
function importedPackages(): string[] {
  const files = readdirSync(`${root}src`, { recursive: true, encoding: "utf8" });
  const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.includes(".test."));
  const specifiers = sources.flatMap((file) => {
    const text = readFileSync(`${root}src/${file}`, "utf8");
    const imports = text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^".][^"]*)"|import\("([^".][^"]*)"\)/gm);
    return [...imports].map(([, from, lazily]) => from ?? lazily ?? "");
  });
  const names = specifiers.map((specifier) => specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/"));
  return [...new Set(names.filter((name) => !isBuiltin(name)))].sort();
}

describe("docs/dependencies.md", () => {
  it("has every package that is installed with this one", () => {
    expect(Object.keys(listed("Installed with the package"))).toEqual(Object.keys(manifest.dependencies).sort());
  });

  it("has every package in the bundle: those that src/ imports and an installation does not bring", () => {
    const inBundle = importedPackages().filter(
      (name) => manifest.dependencies[name] === undefined && manifest.peerDependencies[name] === undefined,
    );
    expect(Object.keys(listed("In the bundle")).sort()).toEqual(inBundle);
  });

  it("has every other package", () => {
    const others = { ...listed("In the bundle"), ...listed("For development") };
    expect(Object.keys(others).sort()).toEqual(Object.keys(manifest.devDependencies).sort());
  });

  it("has a reason for each", () => {
    for (const heading of ["Installed with the package", "In the bundle", "For development"]) {
      expect(Object.entries(listed(heading)).filter(([, why]) => !/^.{12,}\.$/.test(why))).toEqual([]);
    }
  });

  it("has the pins", () => {
    const exact = Object.entries(all).filter(([, version]) => /^\d/.test(version));
    const pins = Object.entries(listed("Pins"));
    expect(pins.filter(([, version]) => version.includes("."))).toEqual(exact);
    const majors = pins.filter(([, version]) => !version.includes("."));
    expect(majors).toEqual(majors.map(([name]) => [name, /^\^(\d+)\./.exec(all[name] ?? "")?.[1]]));
  });
});
