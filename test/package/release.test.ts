import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { VERSION } from "../../src/kernel/version.js";

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
