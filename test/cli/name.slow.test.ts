import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { runSandbox } from "../support/cli.js";
import { root } from "../support/markdown.js";

/** The first line of help names the command as the user can run it. */
const usage = async (options: Parameters<typeof runSandbox>[1]): Promise<string> =>
  (await runSandbox(["--help"], options)).stdout.split("\n", 1).join();

describe("the name in texts", () => {
  it("is the one for npx inside a clone, where npm finds it", async () => {
    expect(await usage({ cwd: root })).toBe("Usage: npx sandbox <verb> [options]");
  });

  it("is the full name elsewhere, since another package is called sandbox", async () => {
    expect(await usage({ cwd: tmpdir() })).toBe("Usage: business-payments-sandbox <verb> [options]");
  });

  it("is the full name after npx when npm runs it", async () => {
    expect(await usage({ cwd: tmpdir(), env: { npm_command: "run-script" } })).toBe(
      "Usage: npx business-payments-sandbox <verb> [options]",
    );
  });

  it("is the same in the help of each verb", async () => {
    const { stdout } = await runSandbox(["--help"]);
    const verbs = [...stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, verb = ""]) => verb);
    expect(verbs).toContain("start");
    const helps = await Promise.all(verbs.map(async (verb) => (await runSandbox([verb, "--help"])).stdout));
    expect(
      helps.join("\n").match(/(?<!npx )(?<![\w-])sandbox (?:--|[<[]|[a-z]+ (?:--|http|[a-z]+\.yaml))/g) ?? [],
    ).toEqual([]);
  });
});
