import { readFileSync } from "node:fs";
import { type BuildOptions, defineConfig } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { licenses, rawFiles, removeOldChunks } from "./scripts/build-plugins.js";

const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));

const node = {
  platform: "node",
  external: Object.keys(dependencies),
  transform: { target: "node20.19" },
  checks: { pluginTimings: false },
  onLog: (level, log, report) => report(log.code === "UNRESOLVED_IMPORT" ? "error" : level, log),
} satisfies BuildOptions;

/** The files of `exports`. */
const faces = ["index", "webhooks", "vitest", "jest", "node-test"];

/** Users see the names of classes in errors and when they print a handle. */
const keepNames = { function: false, class: true };
const minify = { compress: { keepNames }, mangle: { keepNames } };

/** The command and the library. Verbs and routes that load their modules by `import()` have chunks of their own. */
const program: BuildOptions = {
  ...node,
  input: { cli: "src/cli/main.ts", index: "src/index.ts" },
  plugins: [rawFiles(), licenses(), removeOldChunks()],
  output: { dir: "dist", chunkFileNames: "chunks/[name]-[hash].js", minify, comments: false },
};

/** Runs in other people's production code: one readable file, which imports only Node. */
const webhooks: BuildOptions = { ...node, input: "src/webhooks.ts", output: { dir: "dist" } };

/** Setup files of test runners. They reach the library over a channel of the process only. */
const setups = ["vitest", "jest", "node-test"].map((name): BuildOptions => ({
  ...node,
  external: ["vitest"],
  input: `src/${name}.ts`,
  output: { dir: "dist" },
}));

/** The public types, one file for each entry. */
const declarations = (): BuildOptions => ({
  ...node,
  input: Object.fromEntries(faces.map((name) => [name, `src/${name}.ts`])),
  plugins: [dts({ emitDtsOnly: true })],
  output: { dir: "dist" },
});

export const bundles = [program, webhooks, ...setups];
export default defineConfig(() => [...bundles, declarations()]);
