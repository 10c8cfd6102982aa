import { describe, expect, it } from "vitest";
import { UsageError } from "../../kernel/messages/problem.js";
import { parseSource } from "./source.js";

function problemsOf(text: string): readonly string[] {
  try {
    parseSource(text, "f.yaml");
  } catch (error) {
    if (error instanceof UsageError && error.kind === "file") return error.messages;
    throw error;
  }
  return [];
}

describe("hostile files", () => {
  it("take time in proportion to their keys", () => {
    // Comparing every key with every other would take minutes.
    const text = Array.from({ length: 40_000 }, (_, n) => `k${n}: 1`).join("\n");
    expect(Object.keys(parseSource(text, "f.yaml").value as object)).toHaveLength(40_000);
    expect(problemsOf(`${text}\nk0: 2`)).toEqual(['f.yaml:40001:1: The key "k0" is there twice. Remove one']);
  });
});
