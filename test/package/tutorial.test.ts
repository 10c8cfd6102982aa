import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { folderWith } from "../support/folder.js";
import { followSteps, stepsOf } from "../support/follow-page.js";
import { root } from "../support/markdown.js";
import { openPage, textOf } from "../support/open-page.js";

const run = promisify(execFile);

const page = openPage("docs/tutorial.md");
const steps = stepsOf(page);
const install = textOf(page.take("sh"));

it("the tutorial works with the installed package", async () => {
  const [, inTheProject = ""] = install.split("npm pack\n");
  expect(inTheProject).toContain("npm install");
  const parent = await folderWith({ "business-payments-sandbox/README.md": "" });
  const clone = join(parent, "business-payments-sandbox");
  await run("npm", ["pack", "--pack-destination", clone], { cwd: root });
  await run("bash", ["-ec", inTheProject], { cwd: clone });

  // npm warns about the machine's configuration.
  const env = { HOME: process.env["HOME"] ?? parent, npm_config_loglevel: "error" };
  const options = { url: "http://127.0.0.1:4010", cwd: join(parent, "shop"), env, installed: true };
  await expect(followSteps(steps, options)).resolves.toBeUndefined();
});
