import { expect, it } from "vitest";
import { jsonSource } from "./json-source.js";
import { parseSource, type SourcePath } from "./source.js";

it("has the positions that the value has in an indented file", () => {
  const value = { a: [1, { "b c": [], d: {} }, "x"], "": { e: null, 'f"': [[2], 3] }, g: {} };
  const file = parseSource(JSON.stringify(value, undefined, 2), "a.json");
  const source = jsonSource(value, "a.json");
  const paths: SourcePath[] = [
    [],
    ["a"],
    ["a", 0],
    ["a", 1, "b c"],
    ["a", 1, "d"],
    ["a", 2],
    ["", "e"],
    ["", 'f"', 0, 0],
  ];
  for (const path of [...paths, ["", 'f"', 1], ["g"], ["g", "none"], ["a", 7], ["a", 0, "x"], ["none", 1]])
    for (const at of ["key", "value"] as const)
      expect([path, at, source.positionOf(path, at)]).toEqual([path, at, file.positionOf(path, at)]);
});
