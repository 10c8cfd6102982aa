import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { root } from "../support/markdown.js";

const salaries = [process.execPath, join(root, "examples/double-payout/pay-salaries.mjs")];

const explore = (cwd: string, options: readonly string[], command: readonly string[]) =>
  runSandbox(["explore", ...options, "--", ...command], { cwd });

describe("explore", () => {
  it("finds the lost answer that makes the salaries pay twice, and says how to repeat it", async () => {
    const folder = await folderWith({});
    const { code, stdout } = await explore(folder, ["--only", "answer-lost"], salaries);
    expect(stdout).toMatch(/^unsafe {2}answer-lost at createTransaction#1 \(salary-2026-01-awa-/m);
    const text = stdout.replaceAll(/\s+/g, " ");
    expect(text).toContain("was lost after the payout was made. The program sent it again under a new reference");
    expect(text).toContain("+2250700000010 received 150 000 XOF twice. The program ended as if all were well.");
    expect(text).toMatch(/Repeat: \S+ exec --seed 1 --rules reports\/explore\/01\.yaml -- /);
    expect(await readFile(join(folder, "reports/explore/01.yaml"), "utf8")).toContain("nth: 1");
    expect(code).toBe(5);
  });
});
