import { expect, it } from "vitest";
import { type Finished, runSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";

const runInRemovedFolder = async (args: readonly string[]): Promise<Finished> =>
  runSandbox(args, { cwd: await folderWith({}), removesCwd: true });

it.each([[[]], [["--version"]], [["help", "start"]], [["replay", "@shipped/balance"]], [["exec", "--", "true"]]])(
  "in a removed folder `sandbox` %j works",
  async (args) => {
    expect(await runInRemovedFolder(args)).toMatchObject({ code: 0 });
  },
);

it.each([
  [["strat"], 1, 'sandbox: Unknown verb "strat".'],
  [["validate", "no.yaml"], 2, "Failed to read no.yaml: there is no such file."],
  [["replay", "*.yaml"], 2, "Failed to find the current folder: it was removed. Change to another one.\n"],
  [["exec", "--har", "x.har", "--", "true"], 2, "Failed to find the current folder: it was removed."],
  [["exec", "--report", "x", "--", "true"], 2, "Failed to find the current folder: it was removed."],
])("in a removed folder `sandbox` %j says what is wrong", async (args, code, message) => {
  expect(await runInRemovedFolder(args)).toEqual({ code, stdout: "", stderr: expect.stringContaining(message) });
});
