/**
 * Checks everything that a release needs. Publishes nothing, but prints the final commands.
 *
 *   npm run release                  the version of package.json
 *   npm run release -- --tag v0.1.0  also compares it with a tag
 *
 * Writes reports/sbom.cdx.json and reports/release-notes.md. Exits with 1 and all reasons when something is wrong.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** The largest allowed size of the unpacked package, without dependencies. */
const MOST_BYTES = 3_000_000;

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { values } = parseArgs({ options: { tag: { type: "string" } } });
const { version } = JSON.parse(await readFile("package.json", "utf8"));
const notes = notesOf(await readFile("CHANGELOG.md", "utf8"), version);
/** @type {string[]} */
const wrong = [];

check(!/-/.test(version) && /^\d+\.\d+\.\d+$/.test(version), `package.json's version ${version} is no X.Y.Z`);
check(values.tag === undefined || values.tag === `v${version}`, `the tag is ${values.tag}, and the version ${version}`);
check(notes !== undefined, `CHANGELOG.md has no "## [${version}] - YYYY-MM-DD"`);
check(git("status", "--porcelain") === "", "the tree has changes that are not committed");
check(values.tag !== undefined || git("tag", "--list", `v${version}`) === "", `the tag v${version} is there already`);
if (wrong.length === 0) {
  for (const script of ["build", "check", "attw", "licences", "test:package"]) {
    check(spawnSync("npm", ["run", "--silent", script], { stdio: "inherit" }).status === 0, `npm run ${script} failed`);
  }
  check(git("status", "--porcelain") === "", "the checks left changes: something generated was not committed");
  const [packed] = JSON.parse(run("npm", "pack", "--dry-run", "--ignore-scripts", "--json"));
  check(packed.unpackedSize < MOST_BYTES, `the package has ${packed.unpackedSize} bytes, and may have ${MOST_BYTES}`);
}

if (wrong.length > 0) {
  console.error(`${version} cannot go out:\n${wrong.map((reason) => `- ${reason}`).join("\n")}`);
  process.exitCode = 1;
} else {
  await mkdir("reports", { recursive: true });
  await writeFile("reports/sbom.cdx.json", run("npm", "run", "--silent", "sbom"));
  await writeFile("reports/release-notes.md", `${notes}\n`);
  console.log(`${version} is ready. What is left:\n\n  git tag v${version} && git push origin v${version}\n`);
}

/**
 * @param {boolean} holds
 * @param {string} reason
 */
function check(holds, reason) {
  if (!holds) wrong.push(reason);
}

/** @param {string[]} args */
function git(...args) {
  return run("git", ...args).trim();
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, ...args) {
  return execFileSync(command, args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}

/**
 * @param {string} changelog
 * @param {string} of
 */
function notesOf(changelog, of) {
  const heading = new RegExp(String.raw`^## \[${of.replaceAll(".", String.raw`\.`)}\] - \d{4}-\d\d-\d\d$`, "m").exec(
    changelog,
  );
  if (heading === null) return undefined;
  const rest = changelog.slice(heading.index + heading[0].length);
  return rest.slice(0, /^## /m.exec(rest)?.index).trim();
}
