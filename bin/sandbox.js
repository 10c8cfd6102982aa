#!/usr/bin/env node
import nodeModule from "node:module";

// Where Node has it (22.8 and later): what was compiled once is not compiled again at the next start.
if ("enableCompileCache" in nodeModule && typeof nodeModule.enableCompileCache === "function")
  nodeModule.enableCompileCache();
const cli = new URL("../dist/cli.js", import.meta.url);

try {
  await import(cli.href);
} catch (error) {
  const { existsSync } = await import("node:fs");
  if (existsSync(cli)) throw error;
  process.stderr.write(
    "sandbox: this copy is not built yet (dist/cli.js is missing).\n" +
      "Run `npm ci` in a fresh clone, or `npm run build` after a change.\n",
  );
  process.exitCode = 3;
}
