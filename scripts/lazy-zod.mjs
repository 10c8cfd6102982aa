/**
 * zod is a quarter of what a start would load, and a start checks nothing with it. In the sources it is imported like any other library; in the
 * bundle the import is a stub, and the library itself a file of its own, which is read when a schema is made for the first time. It is read with
 * `require`, since schemas are made in the synchronous step of a request.
 */
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { build } from "esbuild";
import * as zod from "zod";

/**
 * The library as one file, with only what the sources use of it.
 *
 * @param {import("esbuild").BuildOptions} options
 */
export async function buildZod({ absWorkingDir = "", ...options }) {
  const names = await namesOfZod(join(absWorkingDir, "src"));
  const { outputFiles, metafile } = await build({
    ...options,
    absWorkingDir,
    format: "cjs",
    stdin: { contents: `export { ${names.join(", ")} } from "zod";`, resolveDir: absWorkingDir },
    entryNames: "chunks/zod-[hash]",
    outExtension: { ".js": ".cjs" },
    metafile: true,
    write: false,
  });
  return { names, outputFiles, metafile };
}

/**
 * `import * as z from "zod"` as a module whose functions read that file when they are first called. What it exports are live bindings: from then
 * on they are zod's own.
 *
 * @param {{ names: readonly string[], outputFiles: readonly { path: string }[] }} zod
 * @returns {import("esbuild").Plugin}
 */
export function lazyZod({ names, outputFiles: [file] }) {
  const library = JSON.stringify(`./${basename(file?.path ?? "")}`);
  // Behind a $, for some are words of the language: z.enum, z.null.
  const stubs = names.map((name) =>
    isFunction(name) ? `$${name} = (...args) => load().${name}(...args)` : `$${name}`,
  );
  const contents = `
    let ${stubs.join(",\n")};
    function load() {
      const zod = require(${library});
      ({ ${names.map((name) => `${name}: $${name}`).join(", ")} } = zod);
      return zod;
    }
    export { ${names.map((name) => `$${name} as ${name}`).join(", ")} };`;
  return {
    name: "lazy-zod",
    setup(bundler) {
      bundler.onResolve({ filter: /^zod$/ }, () => ({ path: "zod", namespace: "lazy-zod" }));
      bundler.onResolve({ filter: /^\.\/zod-\w+\.cjs$/, namespace: "lazy-zod" }, ({ path }) => ({
        path,
        external: true,
      }));
      bundler.onLoad({ filter: /./, namespace: "lazy-zod" }, () => ({ contents }));
    },
  };
}

/** Constants (`NEVER`) are met in the midst of a check only, when the library is there. @param {string} name */
function isFunction(name) {
  return /^[a-z]/.test(name);
}

/** @param {string} folder */
async function namesOfZod(folder) {
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
