/**
 * Lists the packages of an installation, with versions and licences: packages that npm installs, and packages in the bundle.
 *
 *   npm run licences       a table; exits with 1 for a licence that is not on the list below
 *   npm run sbom           a CycloneDX document, on stdout
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

/** Licences that allow commercial use, change and distribution, and require a notice at most. */
const PERMITTED = new Set(["0BSD", "Apache-2.0", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"]);

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({ options: { sbom: { type: "boolean", default: false } } });

/**
 * @typedef {{ name: string, version: string, licenses?: { license: { id?: string, name?: string } }[], properties?: { name: string, value: string }[] }}
 * Component
 */

const [all, installed, bundled] = await Promise.all([listComponents(), listComponents("--omit=dev"), readBundled()]);
const ofInstallation = new Set(installed.components.map(keyOf));
/** @type {Component[]} */
const components = all.components.filter(
  (/** @type {Component} */ component) => ofInstallation.has(keyOf(component)) || bundled.has(keyOf(component)),
);
const missing = [...bundled].filter((key) => !components.some((component) => keyOf(component) === key));
if (missing.length > 0) throw new Error(`npm does not know these packages of the bundle: ${missing.join(", ")}`);

if (values.sbom) console.log(JSON.stringify({ ...all, components, dependencies: undefined }, undefined, 2));
else printLicences();

function printLicences() {
  for (const component of components) {
    const licence = licenceOf(component);
    const how = ofInstallation.has(keyOf(component)) ? "installed" : "bundled";
    console.log(`${keyOf(component).padEnd(32)}${licence.padEnd(16)}${how}`);
    if (PERMITTED.has(licence)) continue;
    console.error(`${keyOf(component)}: ${licence} is not on the list of scripts/packages.mjs`);
    process.exitCode = 1;
  }
}

/** @param {Component} component */
function keyOf({ name, version }) {
  return `${name}@${version}`;
}

/** @param {Component} component */
function licenceOf({ licenses = [] }) {
  return licenses.map(({ license }) => license.id ?? license.name).join(" and ") || "none";
}

/** @param {string[]} options */
async function listComponents(...options) {
  const maxBuffer = 64 * 1024 * 1024;
  const command = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only", ...options];
  const { stdout } = await promisify(execFile)("npm", command, { cwd: root, maxBuffer });
  return JSON.parse(stdout);
}

/** `name@version` of each package in the bundle, from the file that the build writes. */
async function readBundled() {
  const text = await readFile(`${root}dist/THIRD-PARTY-LICENSES.txt`, "utf8");
  const headings = text.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) (\d+\.\d+\.\d+\S*)$/gm);
  return new Set([...headings].map(([, name, version]) => `${name}@${version}`));
}
