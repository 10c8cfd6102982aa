import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { followSteps, type Step, stepsOf } from "../support/follow-page.js";
import { openPage } from "../support/open-page.js";
import type { LooseJson } from "../support/world.js";

const page = openPage("docs/ci.md");
const files = page.take("yaml").map(({ text }): LooseJson => parse(text));
const pasted = stepsOf(page);
page.leave("docker is needed; .ci/run builds the image and starts it", "sh");

/** The commands of a GitHub workflow or a GitLab job. */
function commandsOf({ jobs, test }: LooseJson): string[] {
  return jobs === undefined ? test.script : jobs.test.steps.flatMap(({ run }: LooseJson) => run ?? []);
}
const scripts = files.map(commandsOf);
const ofOurs = scripts.flat().filter((command) => command.startsWith("npx business-payments-sandbox "));

/** A project as `sandbox init` creates it, with a test and a scenario. */
async function initProject(): Promise<string> {
  const headers = "{ authorization: 'Bearer ' + process.env.SANDBOX_ACCESS_TOKEN }";
  const call = `fetch(process.env.SANDBOX_URL + '/v1/balance', { headers: ${headers} }).then((answer) => answer.text())`;
  const cwd = await folderWith({ "package.json": JSON.stringify({ scripts: { test: `node --eval "${call}"` } }) });
  expect(await runSandbox(["init"], { cwd })).toMatchObject({ code: 0 });
  return cwd;
}

describe("docs/ci.md", { timeout: 120_000 }, () => {
  it("has files whose commands work in a project", async () => {
    expect(ofOurs.length).toBeGreaterThan(3);
    const cwd = await initProject();
    const steps = ofOurs.map((commands): Step => ({ commands, shown: undefined }));
    await followSteps(steps, { url: "http://127.0.0.1:4010", cwd });
    expect(await readFile(join(cwd, "reports/scenarios.xml"), "utf8")).toContain("<testsuite");
    expect(JSON.parse(await readFile(join(cwd, "reports/sandbox.json"), "utf8"))).toMatchObject({ findings: [] });
  });

  it("runs only npm besides", () => {
    const others = scripts.flat().filter((command) => !ofOurs.includes(command));
    expect(new Set(others)).toEqual(new Set(["npm ci", "npm test"]));
  });

  it("has commands that write the files it names", async () => {
    const cwd = await initProject();
    await followSteps(pasted, { url: "http://127.0.0.1:4010", cwd });
    for (const name of ["session.yaml", "sandbox.json", "coverage.md"]) {
      expect(await readFile(join(cwd, "reports", name), "utf8")).not.toBe("");
    }
  });
});
