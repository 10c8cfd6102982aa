import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VERSION } from "../../src/kernel/version.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

/** What someone gets who installs the package: packed from this tree, installed in an empty project elsewhere. */
describe("the packed package", () => {
  let project: string;
  let installed: string;

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), "sandbox-package-"));
    installed = join(project, "node_modules/business-payments-sandbox");
    await run("npm", ["pack", "--pack-destination", project], { cwd: root });
    const tarball = (await readdir(project)).find((name) => name.endsWith(".tgz")) ?? "";
    await writeFile(join(project, "package.json"), '{ "private": true, "type": "module" }');
    await run("npm", ["install", "--no-audit", "--no-fund", `./${tarball}`], { cwd: project });
  });

  afterAll(async () => {
    await rm(project, { recursive: true, force: true });
  });

  it("carries the program and its data, and nothing of the workshop", async () => {
    const files = await readdir(installed, { recursive: true, withFileTypes: true });
    const paths = files
      .filter((file) => file.isFile())
      .map((file) =>
        join(file.parentPath, file.name)
          .slice(installed.length + 1)
          .split(sep)
          .join("/"),
      );
    const known = /^(dist|bin|fixtures|scenarios|schema)\/|^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/;
    expect(paths.filter((path) => !known.test(path) || /\.test\.|\.map$/.test(path))).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(["dist/cli.js", "dist/index.js", "dist/webhooks.js", "LICENSE"]));
    expect(await readFile(join(installed, "dist/THIRD-PARTY-LICENSES.txt"), "utf8")).toMatch(/^hono \d/m);
  });

  it("brings only Faker along", async () => {
    const packages = (await readdir(join(project, "node_modules"))).filter((name) => !name.startsWith("."));
    expect(packages.sort()).toEqual(["@faker-js", "business-payments-sandbox"]);
  });

  it.each(["sandbox", "business-payments-sandbox"])("runs as `npx %s`", async (command) => {
    const { stdout } = await run("npx", ["--no-install", command, "--version"], { cwd: project });
    expect(stdout.trim()).toBe(VERSION);
  });

  it("is a library", async () => {
    await writeFile(
      join(project, "use.js"),
      `import { createSandbox } from "business-payments-sandbox";
       import { verifySignature } from "business-payments-sandbox/webhooks";
       const sandbox = await createSandbox();
       const health = await fetch(sandbox.url + "/_sandbox/health");
       console.log(health.status, typeof verifySignature);
       await sandbox.close();`,
    );
    const { stdout } = await run(process.execPath, ["use.js"], {
      cwd: project,
      timeout: 30_000,
      killSignal: "SIGKILL",
    });
    expect(stdout.trim()).toBe("200 function");
  });

  it("has types that need no package of ours", async () => {
    await writeFile(
      join(project, "use.ts"),
      `import { createSandbox } from "business-payments-sandbox";
       import { verifySignature } from "business-payments-sandbox/webhooks";
       export const sandbox = await createSandbox();
       export const verify: typeof verifySignature = verifySignature;`,
    );
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2023"];
    const types = ["--typeRoots", join(root, "node_modules/@types"), "--types", "node"];
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    // skipLibCheck off: a declaration that imports a bundled package would be an error for whoever installs this one.
    const check = run(process.execPath, [tsc, ...options, "--skipLibCheck", "false", ...types, "use.ts"], {
      cwd: project,
    });
    const output = await check.then(
      () => "",
      (error: unknown) => (error as { stdout: string }).stdout,
    );
    expect(
      output.split("\n").filter((line) => line.includes("business-payments-sandbox") || line.startsWith("use.ts")),
    ).toEqual([]);
  });
});
