import { execFile } from "node:child_process";
import { mkdtemp, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "./markdown.js";

const run = promisify(execFile);

/** An empty project with the package as a user gets it: packed from this tree. Returns its folder. */
export async function installPackage(): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), "sandbox-package-"));
  await run("npm", ["pack", "--pack-destination", project], { cwd: root });
  const tarball = (await readdir(project)).find((name) => name.endsWith(".tgz")) ?? "";
  await writeFile(join(project, "package.json"), '{ "private": true, "type": "module" }');
  await run("npm", ["install", "--no-audit", "--no-fund", `./${tarball}`], { cwd: project });
  return project;
}
