#!/usr/bin/env node
import nodeModule from "node:module";

// Not imported: an import of it loads all that it could give, streams and all (scripts/require-builtins.mjs).
const { existsSync } = nodeModule.createRequire(import.meta.url)("node:fs");

// Where Node has it (22.8 and later): what was compiled once is not compiled again at the next start.
if ("enableCompileCache" in nodeModule && typeof nodeModule.enableCompileCache === "function")
  nodeModule.enableCompileCache();
const cli = new URL("../dist/cli.js", import.meta.url);

if (existsSync(cli)) {
  await import(cli.href);
} else {
  process.stderr.write(
    "sandbox: this copy is not built yet (dist/cli.js is missing).\n" +
      "Run `npm ci` in a fresh clone, or `npm run build` after a change.\n",
  );
  process.exitCode = 3;
}
