import { describe, expect, it } from "vitest";
import { fileProblemsOf } from "../../../test/support/file-problems.js";
import { parseSource } from "./source.js";

const problemsOf = (text: string) => fileProblemsOf(() => parseSource(text, "f.yaml"));

describe("hostile files", () => {
  it("take time in proportion to their keys", async () => {
    // Comparing every key with every other would take minutes.
    const text = Array.from({ length: 40_000 }, (_, n) => `k${n}: 1`).join("\n");
    expect(Object.keys(parseSource(text, "f.yaml").value as object)).toHaveLength(40_000);
    expect(await problemsOf(`${text}\nk0: 2`)).toEqual(["f.yaml:40001:1: This key is there twice. Remove one"]);
  });
});
