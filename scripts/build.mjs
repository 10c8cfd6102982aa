/**
 * Builds `dist/`: one bundle per entry point, with shared and lazily imported code in chunks beside it, and the
 * declarations of `src/`. Both run at once, since `npm ci` waits for this (the `prepare` script); `--bundle-only` leaves the
 * declarations as they are, `--readable` the names and the white space of the code (for a stack trace, or a profile).
 */
import { spawn } from "node:child_process";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build, transform } from "esbuild";
import { everywhereAsOne, startAsOne } from "./as-one.mjs";
import { commonJs, moduleOf, namesOf } from "./common-js.mjs";
import { buildLatePackages, latePackages } from "./late-packages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
/** They share what they have in common. */
const entryPoints = { cli: "src/cli/main.ts", index: "src/index.ts" };
/** Goes into other people's production code: one file by itself, which imports nothing but Node and can be read. */
const standalone = { webhooks: "src/webhooks.ts" };
/** What an installation needs the declarations of, and whatever these refer to. */
const typed = ["index.d.ts", "webhooks.d.ts"];

const readable = process.argv.includes("--readable");
const steps = process.argv.includes("--bundle-only") ? [bundle()] : [bundle(), declarations()];
for (const result of await Promise.allSettled(steps)) {
  if (result.status === "rejected") {
    console.error(`build: ${result.reason instanceof Error ? result.reason.message : result.reason}`);
    process.exitCode = 1;
  }
}

async function bundle() {
  /** @satisfies {import("esbuild").BuildOptions} */
  const shared = {
    absWorkingDir: root,
    outdir: "dist",
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    // What is left out of the bundle is exactly what an installation brings along.
    external: Object.keys(manifest.dependencies),
    jsx: "automatic",
    jsxImportSource: "hono/jsx",
    // Half the size: what CI fetches on every run. Licences are in a file of their own.
    minify: !readable,
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  };
  const late = await buildLatePackages(shared);
  const [program, webhooks] = await Promise.all([
    build({
      ...shared,
      entryPoints,
      splitting: true,
      logOverride: { "ignored-bare-import": "silent", "import-is-undefined": "error" },
      plugins: [
        { name: "small-assets", setup: smallAssets },
        { name: "less-undici", setup: lessUndici },
        { name: "less-yaml", setup: lessYaml },
        startAsOne(root),
        everywhereAsOne(root),
        latePackages(late),
      ],
      chunkNames: "chunks/[name]-[hash]",
      outExtension: { ".js": ".cjs" },
      metafile: true,
      write: false,
    }),
    build({ ...shared, entryPoints: standalone, minify: false, metafile: true, write: false }),
  ]);
  const files = new Map(
    [...late.map(({ file }) => file), ...webhooks.outputFiles].map(({ path, contents }) => [path, contents]),
  );
  const { minify, target } = shared;
  for (const { path, text } of program.outputFiles)
    files.set(path, Buffer.from(await commonJs(text, { minify, target })));
  const exported = (program.metafile.outputs["dist/index.cjs"]?.exports ?? []).toSorted();
  const face = join(dist, "index.cjs");
  files.set(face, Buffer.concat([files.get(face) ?? Buffer.of(), Buffer.from(namesOf(exported))]));
  files.set(join(dist, "index.js"), Buffer.from(moduleOf("./index.cjs", exported)));
  const inputs = [...late, program, webhooks].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  files.set(join(dist, "THIRD-PARTY-LICENSES.txt"), Buffer.from(await licenses(inputs)));
  await replaceDist(files);
}

/**
 * Style sheets and scripts of the pages stand in the sources as people read them.
 *
 * @param {import("esbuild").PluginBuild} bundler
 */
function smallAssets(bundler) {
  bundler.onLoad({ filter: /\/src\/http\/\w+\/(?:[\w-]+-)?(?:style|script)\.ts$/ }, async ({ path }) => {
    const source = await readFile(path, "utf8");
    const [whole = "", kind = "", text = ""] = /"(css|js)",\s*`((?:[^`$\\]|\$(?!\{))+)`/.exec(source) ?? [];
    if (whole === "" || readable) return undefined;
    const { code } = await transform(text, { loader: kind === "css" ? "css" : "js", minify: true });
    return { contents: source.replace(whole, () => `"${kind}", ${JSON.stringify(code)}`), loader: "ts" };
  });
}

/**
 * undici is the largest package in the bundle, and its client over HTTP/1.1 is what is used of it. Every processor that Node runs on today has the
 * instructions that the faster of its two parsers needs; that one is packed.
 *
 * @param {import("esbuild").PluginBuild} bundler
 */
function lessUndici(bundler) {
  const client = /undici[\\/]lib[\\/]dispatcher[\\/]client/;
  bundler.onResolve({ filter: /^undici$/ }, () => ({ path: join(root, "scripts/undici-agent.cjs") }));
  bundler.onResolve({ filter: /web\/fetch\/body\.js$|\/client-h2\.js$/ }, ({ importer }) =>
    client.test(importer) ? { path: join(root, "scripts/undici-without.cjs") } : undefined,
  );
  bundler.onResolve({ filter: /\/llhttp-wasm\.js$/ }, ({ resolveDir }) => ({
    path: join(resolveDir, "../llhttp/llhttp_simd-wasm.js"),
  }));
  bundler.onLoad({ filter: /\/llhttp_simd-wasm\.js$/ }, ({ path }) => {
    const packed = brotliCompressSync(createRequire(import.meta.url)(path)).toString("base64");
    const unpack = `require("node:zlib").brotliDecompressSync(Buffer.from("${packed}", "base64"))`;
    return { contents: `let bytes; Object.defineProperty(module, "exports", { get: () => (bytes ??= ${unpack}) });` };
  });
}

/**
 * Its build for browsers is the same code as modules, of which esbuild takes what is used.
 *
 * @param {import("esbuild").PluginBuild} bundler
 */
function lessYaml(bundler) {
  const path = join(root, "node_modules/yaml/browser/dist/index.js");
  bundler.onResolve({ filter: /^yaml$/ }, () => ({ path, sideEffects: false }));
}

/**
 * Writes the new files first, each at one stroke, and then removes what the last build left behind, so that a program that
 * starts or runs from `dist/` meanwhile never finds it empty or half written.
 *
 * @param {Map<string, Uint8Array>} files
 */
async function replaceDist(files) {
  for (const [path, contents] of files) {
    await mkdir(dirname(path), { recursive: true });
    const draft = `${path}.${process.pid}`;
    await writeFile(draft, contents);
    await rename(draft, path);
  }
  for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const isDeclaration = !relative(join(dist, "types"), path).startsWith("..");
    if (entry.isFile() && !isDeclaration && !files.has(path)) await rm(path);
  }
}

/**
 * The licences of the bundled packages ask that their text travels with every copy.
 *
 * @param {string[]} inputs
 */
async function licenses(inputs) {
  const folders = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []));
  /** The same conditions stand there once, below all who grant them. @type {Map<string, string[]>} */
  const granted = new Map();
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(await readFile(join(root, folder, "package.json"), "utf8"));
    const file = (await readdir(join(root, folder))).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? await readFile(join(root, folder, file), "utf8") : `Licence: ${license}`;
    const isNotice = (/** @type {string} */ line) =>
      /^(?:The MIT License|MIT License|Copyright|\(c\) )/i.test(line.trim());
    const notices = text
      .split("\n")
      .filter(isNotice)
      .map((line) => line.trim());
    const conditions = text
      .split("\n")
      .filter((line) => !isNotice(line))
      .join("\n")
      .replaceAll(/[^\S\n]+$/gm, "")
      .trim();
    const key = conditions.replaceAll(/\s+/g, " ");
    const known = [...granted.keys()].find((other) => other.replaceAll(/\s+/g, " ") === key) ?? conditions;
    granted.set(known, [...(granted.get(known) ?? []), [`${name} ${version}`, ...notices].join("\n")]);
  }
  const sections = [...granted].map(([conditions, holders]) => `${holders.join("\n\n")}\n\n${conditions}\n`);
  return `The files in this folder contain code of these packages.\n\n${sections.join(`\n${"-".repeat(80)}\n\n`)}`;
}

async function declarations() {
  await rm(join(dist, "types"), { recursive: true, force: true });
  const tsc = resolve(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  const child = spawn(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
  const code = await new Promise((done, fail) => child.once("error", fail).once("close", done));
  if (code !== 0) throw new Error("the declarations have errors (npm run typecheck shows them too)");
  await keepReachable(join(dist, "types"));
}

/**
 * tsc declares every file. Who installs the package gets those that its faces refer to, and none that says `import "zod"`.
 *
 * @param {string} folder
 */
async function keepReachable(folder) {
  const reached = new Set();
  /** @param {string} path */
  const visit = async (path) => {
    if (reached.has(path)) return;
    reached.add(path);
    const text = await readFile(path, "utf8");
    const targets = [...text.matchAll(/(?:from|import\()\s*"(\.[^"]+)\.js"/g)].map(([, target]) => `${target}.d.ts`);
    await Promise.all(targets.map((target) => visit(join(dirname(path), target))));
  };
  await Promise.all(typed.map((name) => visit(join(folder, name))));
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !reached.has(path)) await rm(path);
  }
}
