import { transform } from "esbuild";
import { parseSync } from "oxc-parser";
import { requireBuiltins } from "./require-builtins.mjs";

/**
 * A file of the bundle as CommonJS. esbuild splits a bundle only into modules, and Node 20 takes five milliseconds more to start from five modules than
 * from five files that require each other. What is exported stays a live binding. Packages are still imported: they may be modules.
 *
 * @param {string} code
 * @param {{ minify: boolean, target: string }} options
 */
export async function commonJs(code, { minify, target }) {
  /** @type {import("esbuild").TransformOptions} */
  const options = { platform: "node", target, charset: "utf8", logLevel: "warning" };
  const converted = await transform(requireChunks(requireBuiltins(code)), {
    ...options,
    format: "cjs",
    define: { "import.meta.url": "__fileUrl" },
  });
  const url = converted.code.includes("__fileUrl")
    ? 'const __fileUrl = require("node:url").pathToFileURL(__filename).href;\n'
    : "";
  const plain = exportedPlainly(url + converted.code);
  // As modules are without saying so.
  const strict = '"use strict";';
  return (
    strict + (minify ? (await transform(plain, { ...options, minify, format: "cjs", treeShaking: true })).code : plain)
  );
}

/**
 * What other people import: a module that exports what a CommonJS file does, by their names. Not as the members of its default: test runners that read
 * both files themselves (Vitest, of a linked package) know no default of it.
 *
 * @param {string} file
 * @param {readonly string[]} exported
 */
export function moduleOf(file, exported) {
  return `export { ${exported.join(", ")} } from ${JSON.stringify(file)};\n`;
}

/**
 * Is never run: Node finds the names of what a CommonJS file exports by reading it.
 *
 * @param {readonly string[]} exported
 */
export function namesOf(exported) {
  return `0&&(module.exports={${exported.join()}});\n`;
}

/** `import("./chunk.cjs")` would load Node's loader of modules for what `require` finds. @param {string} code */
function requireChunks(code) {
  const { module } = parseSync("chunk.js", code);
  let rest = code;
  for (const { start, end, moduleRequest } of module.dynamicImports.toReversed()) {
    const path = code.slice(moduleRequest.start, moduleRequest.end);
    if (/^["']\.\//.test(path))
      rest = `${rest.slice(0, start)}Promise.resolve().then(()=>require(${path}))${rest.slice(end)}`;
  }
  return rest;
}

/**
 * esbuild lets a file be imported, required by what was a module, and so on: half a kilobyte in each. Ours are required by name, and only by each other;
 * what is then used of it by nobody goes when it is minified. And nothing of ours looks at the `this` of a function that it calls by its name.
 *
 * @param {string} code
 */
function exportedPlainly(code) {
  return code
    .replace(/^var stdin_exports = \{\};\n/m, "")
    .replace(/^(__export\d*)\(stdin_exports, \{/m, "$1(exports, {")
    .replace(/^module\.exports = __toCommonJS\d*\(stdin_exports\);\n/m, "")
    .replace(/\(0, (import_\w+\.[\w$]+)\)\(/g, "$1(")
    .replace(/^\/\/ Annotate the CommonJS export names[^]*?^\}\);\n/m, "");
}
