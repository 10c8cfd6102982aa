import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type BuildOptions, defineConfig, type Plugin } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { licenses, rawFiles, removeOldChunks } from "./scripts/build-plugins.js";

const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));

const node = {
  platform: "node",
  external: [...Object.keys(dependencies), "vitest"],
  transform: { target: "node20.19" },
  checks: { pluginTimings: false },
  onLog: (level, log, report) => report(log.code === "UNRESOLVED_IMPORT" ? "error" : level, log),
} satisfies BuildOptions;

/** The files of `exports`. */
const faces = ["index", "webhooks", "vitest", "jest", "node-test"];

/** Users see the names of classes in errors and when they print a handle. */
const keepNames = { function: false, class: true };
const minify = { compress: { keepNames }, mangle: { keepNames } };

const commonjs = { dir: "dist", format: "cjs", entryFileNames: "[name].cjs" } as const;

/**
 * The command and the library. Verbs and routes that load their modules by `import()` have chunks of their own. There is one copy of the code, so
 * that a class is the same class however it was imported: the ES module of the library re-exports the CommonJS one.
 */
const program: BuildOptions = {
  ...node,
  input: { cli: "src/cli/main.ts", index: "src/index.ts" },
  plugins: [rawFiles(), licenses(), removeOldChunks(), moduleOfLibrary()],
  output: { ...commonjs, chunkFileNames: "chunks/[name]-[hash].cjs", minify, comments: false },
};

function moduleOfLibrary(): Plugin {
  return {
    name: "module-of-library",
    generateBundle(_options, bundle) {
      const library = bundle["index.cjs"];
      const names = library?.type === "chunk" ? library.exports : [];
      const source = `export { ${names.join(", ")} } from "./index.cjs";\n`;
      this.emitFile({ type: "asset", fileName: "index.js", source });
    },
  };
}

/** Small files of their own in both formats, readable: they run in other people's production code, or in the process of a test runner. */
const small = faces.slice(1).flatMap((name): BuildOptions[] => {
  const input = `src/${name}.ts`;
  return [
    { ...node, input, output: { dir: "dist" } },
    { ...node, input, output: commonjs },
  ];
});

/** `webhooks` without Node: its HMAC is JavaScript. */
const hmac = fileURLToPath(new URL("src/domain/deliveries/hmac-anywhere.ts", import.meta.url));
const browser: BuildOptions = {
  platform: "browser",
  input: { "webhooks-browser": "src/webhooks.ts" },
  resolve: { alias: { "./domain/deliveries/hmac.js": hmac } },
};
const browsers: BuildOptions[] = [
  { ...browser, output: { dir: "dist" } },
  { ...browser, output: commonjs },
];

/** The public types, one file for each entry and format. */
const declarations = (extension: "js" | "cjs"): BuildOptions => ({
  ...node,
  input: Object.fromEntries(faces.map((name) => [name, `src/${name}.ts`])),
  plugins: [dts({ emitDtsOnly: true })],
  output: { dir: "dist", entryFileNames: `[name].${extension}`, chunkFileNames: `[name]-[hash].${extension}` },
});

export const bundles = [program, ...small, ...browsers];
export default defineConfig(() => [...bundles, declarations("js"), declarations("cjs")]);
