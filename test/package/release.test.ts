import { execFile } from "node:child_process";
import { copyFile, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { VERSION } from "../../src/kernel/version.js";
import { folderWith } from "../support/folder.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

it("a release with the tag of another version stops with a message", async () => {
  const refused = await run(process.execPath, ["scripts/release.mjs", "--tag", "v9.9.9"], { cwd: root }).catch(
    (error: unknown) => error as { code: number; stderr: string },
  );
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain(`${VERSION} cannot go out:\n`);
  expect(refused.stderr).toContain(`- the tag is v9.9.9, and the version ${VERSION}\n`);
});

it("every installed or bundled package has an allowed licence", async () => {
  const { stdout } = await run(process.execPath, ["scripts/packages.mjs"], { cwd: root });
  expect(stdout).toMatch(/^@faker-js\/faker@\S+ +MIT +installed$/m);
  expect(stdout).toMatch(/^zod@\S+ +MIT +bundled$/m);
});

it("the bill of materials lists installed and bundled packages, but no development dependencies", async () => {
  const { stdout } = await run(process.execPath, ["scripts/packages.mjs", "--sbom"], { cwd: root });
  const { bomFormat, components } = JSON.parse(stdout) as { bomFormat: string; components: { name: string }[] };
  expect(bomFormat).toBe("CycloneDX");
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["@faker-js/faker", "hono", "re2js", "zod"]));
  expect(names).not.toContain("vitest");
});

it("the README of a published package links to the repository of its release, which the manifest names", async () => {
  const workflow = parse(await readFile(`${root}.github/workflows/release.yml`, "utf8"));
  const { run: script } = workflow.jobs.npm.steps.find(({ name }: { name?: string }) => name === "link");
  const folder = await folderWith({});
  for (const file of ["README.md", "README.fr.md", "package.json"])
    await copyFile(`${root}${file}`, `${folder}/${file}`);
  const released = { GITHUB_SERVER_URL: "https://forge.example", GITHUB_REPOSITORY: "a/b", GITHUB_REF_NAME: "v1.2.3" };
  await run("bash", ["-e", "-c", script], { cwd: folder, env: { ...process.env, ...released } });

  const [before, after] = await Promise.all(
    [root, `${folder}/`].map(async (at) => linksIn(await readFile(`${at}README.md`, "utf8"))),
  );
  expect(before).toContain("docs/tutorial.md");
  expect(after).toContain("https://forge.example/a/b/blob/v1.2.3/docs/tutorial.md");
  expect(after).toContain("https://forge.example/a/b/raw/v1.2.3/docs/images/dashboard-overview-light.png");
  expect(after?.filter((link) => !/^(?:https?:|#)/.test(link))).toEqual([]);
  expect(after?.map((link) => link.replace(/^https:\/\/forge\.example\/a\/b\/(?:blob|raw)\/v1\.2\.3\//, ""))).toEqual(
    before,
  );
  const french = linksIn(await readFile(`${folder}/README.fr.md`, "utf8"));
  expect(french.filter((link) => !/^(?:https?:|#)/.test(link))).toEqual([]);
  expect(JSON.parse(await readFile(`${folder}/package.json`, "utf8"))).toMatchObject({
    repository: { type: "git", url: "git+https://forge.example/a/b.git" },
    homepage: "https://forge.example/a/b#readme",
  });
});

function linksIn(page: string): readonly string[] {
  return [...page.matchAll(/\]\(([^)]+)\)|(?:src|srcset)="([^"]+)"/g)].map(([, link, image]) => link ?? image ?? "");
}
