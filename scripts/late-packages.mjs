/**
 * Some libraries are a large part of what a start would load, and no start needs them: zod alone is a quarter. In the sources they are imported like
 * any other; in the bundle the import is a stub, and the library a file of its own, which is read when something of it is first used. It is read with
 * `require`, since that is in the synchronous step of a request.
 *
 * For the sources it means: in what a start loads nothing is made with them at the top of a module.
 */
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { build } from "esbuild";
import * as zod from "zod";

/**
 * @typedef {object} LatePackage
 * @property {string} name
 * @property {readonly string[]} exported what the sources use of it
 * @property {import("esbuild").OutputFile} file
 * @property {import("esbuild").Metafile} metafile
 */

/**
 * Each library as one file, with what the sources use of it and no more.
 *
 * @param {import("esbuild").BuildOptions & { absWorkingDir: string }} options
 * @returns {Promise<readonly LatePackage[]>}
 */
export async function buildLatePackages({ absWorkingDir, ...options }) {
  const late = {
    zod: await usedOfZod(join(absWorkingDir, "src")),
    "ipaddr.js": ["default"],
    "safe-regex2": ["default"],
  };
  const builds = Object.entries(late).map(async ([name, exported]) => {
    const { outputFiles, metafile } = await build({
      ...options,
      absWorkingDir,
      format: "cjs",
      stdin: { contents: `export { ${exported.join(", ")} } from "${name}";`, resolveDir: absWorkingDir },
      entryNames: `chunks/${name.replace(/\.js$/, "")}-[hash]`,
      outExtension: { ".js": ".cjs" },
      metafile: true,
      write: false,
    });
    const [file] = outputFiles;
    if (file === undefined) throw new Error(`${name} came out as no file`);
    return { name, exported, file, metafile };
  });
  return Promise.all(builds);
}

/**
 * @param {readonly LatePackage[]} packages
 * @returns {import("esbuild").Plugin}
 */
export function latePackages(packages) {
  return {
    name: "late-packages",
    setup(bundler) {
      for (const late of packages) {
        const filter = new RegExp(`^${late.name.replaceAll(".", "\\.")}$`);
        bundler.onResolve({ filter }, () => ({ path: late.name, namespace: "late-package" }));
        bundler.onLoad({ filter, namespace: "late-package" }, () => ({ contents: stubOf(late) }));
      }
      // What a stub requires.
      bundler.onResolve({ filter: /\.cjs$/, namespace: "late-package" }, ({ path }) => ({ path, external: true }));
    },
  };
}

/**
 * What it exports are live bindings: once the library is there, they are its own.
 *
 * @param {LatePackage} late
 */
function stubOf({ exported, file }) {
  return `
    let ${exported.map((name) => `${local(name)} = ${standIn(name)}`).join(",\n")};
    function load() {
      const library = require(${JSON.stringify(`./${basename(file.path)}`)});
      ({ ${exported.map((name) => `${name}: ${local(name)}`).join(", ")} } = library);
      return library;
    }
    export { ${exported.map((name) => `${local(name)} as ${name}`).join(", ")} };`;
}

/** Some names are words of the language: `z.enum`, `z.null`. @param {string} name */
function local(name) {
  return `$${name}`;
}

/** @param {string} name */
function standIn(name) {
  if (name === "default")
    return "new Proxy(() => {}, { get: (_, name) => load().default[name], apply: (_, that, args) => load().default(...args) })";
  // Constants (`z.NEVER`) are met in the midst of a check only, when the library is there.
  return /^[a-z]/.test(name) ? `(...args) => load().${name}(...args)` : "undefined";
}

/** The functions and constants of zod in the sources. What is overlooked here the build reports: nothing would have that name. @param {string} folder */
async function usedOfZod(folder) {
  /** @type {Set<string>} */
  const names = new Set();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/(?<!\.test)\.tsx?$/.test(entry.name)) continue;
    const text = await readFile(join(entry.parentPath, entry.name), "utf8");
    if (!text.includes('import * as z from "zod";')) continue;
    for (const [, name = ""] of text.matchAll(/\bz\s*\.\s*([a-z]\w*(?=\s*[(<])|[A-Z_]+\b)/g))
      if (name in zod) names.add(name);
  }
  return [...names].sort();
}
