import { describe, expect, it } from "vitest";
import { folderWith } from "./folder.js";
import { followSteps, patternOf, type Step } from "./follow-page.js";

describe("patternOf", () => {
  it.each([
    ["a", "a", true],
    ["a", "ab", false],
    ["a.c", "abc", false],
    ["a…c", "abc", true],
    ["a…", "a", true],
    ["a…c", "a\nc", false],
    ["a\n…\nc", "a\nc", true],
    ["a\n…\nc", "a\nb\nb\nc", true],
    ["a\n…\nc", "a\nb", false],
    ["a\n…", "a\nb\nc", true],
    ["…\nc", "a\nb\nc", true],
    ["…\nc", "a\nc\nd", false],
  ])("%j holds for %j: %s", (shown, printed, holds) => {
    expect(patternOf(shown).test(printed)).toBe(holds);
  });
});

describe("followSteps", () => {
  const follow = async (...steps: readonly Step[]): Promise<void> =>
    followSteps(steps, { url: "http://127.0.0.1:4010", cwd: await folderWith({}) });

  it("runs all steps in one shell, with the files written and changed before", async () => {
    const steps: readonly Step[] = [
      { file: "in/a.txt", text: "one\ntwo\nthree\n" },
      { change: "in/a.txt", diff: "--- in/a.txt\n one\n-two\n+2 $&" },
      { commands: "name=in/a.txt\nfalse", shown: "" },
      { commands: 'cat $name; read line || echo "nothing to read" >&2', shown: "one\n2 $&\nthree\nnothing to read" },
    ];
    await expect(follow(...steps)).resolves.toBeUndefined();
  });

  it.each<[string, Step]>([
    ["prints something else", { commands: "echo a", shown: "b" }],
    ["fails and shows nothing", { commands: "false", shown: undefined }],
    ["ends the shell", { commands: "exit 0", shown: undefined }],
    ["changes text that does not exist", { change: "a.txt", diff: "--- a.txt\n-b\n+c" }],
  ])("rejects when a step %s", async (_, step) => {
    await expect(follow({ file: "a.txt", text: "a\n" }, step)).rejects.toThrow(/\S/);
  });
});
