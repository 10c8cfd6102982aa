/**
 * esbuild makes a file of its own for each set of entry points that share some modules, and Node takes the better part of a millisecond for each file
 * that a start loads. These two plugins have modules shared by the same entry points, so that they come to stand in one file.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** What a start loads is reached from each of these. */
const beside = new RegExp(
  `/src/(?:${[
    "index",
    "adapters/delivery/http-agent",
    "adapters/store/file-store",
    "audit/run-audit",
    "cli/commands/(?:audit|exec|replay)",
    "contract/openapi/(?:describe-api|render-openapi-yaml)",
    "http/(?:checkout/(?:show-checkout|take-checkout|tell-status)|control/control-app|dashboard/create-dashboard|pages/assets)",
    "library/replay-files",
    "sandbox/config/(?:read-files|set-up)",
    "sandbox/store-format",
    "scenarios/(?:parse-scenario|play-live|recorder|scenario-replayer)",
  ].join("|")})\\.tsx?$`,
);

/**
 * @param {string} root
 * @returns {import("esbuild").Plugin}
 */
export function startAsOne(root) {
  const start = join(root, "src/cli/commands/start.ts");
  return {
    name: "start-as-one",
    setup(bundler) {
      bundler.onResolve({ filter: /^start-as-one$/ }, () => ({ path: start, sideEffects: true }));
      bundler.onLoad({ filter: beside }, async ({ path }) => {
        const source = await readFile(path, "utf8");
        return { contents: `import "start-as-one";\n${source}`, loader: path.endsWith("x") ? "tsx" : "ts" };
      });
    },
  };
}

/** What nearly every verb needs, and the library. */
const everywhere = [
  ...["duration", "instant", "problem", "suggest", "version"].map((name) => `src/kernel/${name}.ts`),
  ...["exit-codes", "files", "output", "values"].map((name) => `src/cli/${name}.ts`),
].concat(["src/domain/accounts/money.ts", "src/domain/deliveries/signature.ts", "src/sandbox/options.ts"]);

/**
 * @param {string} root
 * @returns {import("esbuild").Plugin}
 */
export function everywhereAsOne(root) {
  const name = "everywhere-as-one";
  const members = everywhere.map((path) => join(root, path));
  return {
    name,
    setup(bundler) {
      bundler.onLoad({ filter: /\/src\/(?:kernel|domain|sandbox|cli)\/.*\.ts$/ }, async ({ path }) =>
        members.includes(path)
          ? { contents: `import "${name}";\n${await readFile(path, "utf8")}`, loader: "ts" }
          : undefined,
      );
      bundler.onResolve({ filter: /^everywhere-as-one$/ }, () => ({ path: name, namespace: name, sideEffects: true }));
      bundler.onLoad({ filter: /./, namespace: name }, () => ({
        contents: members.map((path) => `import ${JSON.stringify(path)};`).join("\n"),
      }));
      bundler.onResolve({ filter: /./, namespace: name }, ({ path }) => ({ path, sideEffects: true }));
    },
  };
}
