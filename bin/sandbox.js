#!/usr/bin/env node
import { existsSync } from "node:fs";
import nodeModule from "node:module";

// Node 22.8 and later compile the program once and not at every start.
if ("enableCompileCache" in nodeModule && typeof nodeModule.enableCompileCache === "function")
  nodeModule.enableCompileCache();
const cli = new URL("../dist/cli.cjs", import.meta.url);

try {
  await import(cli.href);
} catch (error) {
  if (existsSync(cli)) throw error;
  process.stderr.write(
    "sandbox: this copy is not built yet (dist/cli.cjs is missing).\n" +
      "Run `npm ci` in a fresh clone, or `npm run build` after a change.\n",
  );
  process.exitCode = 3;
}
