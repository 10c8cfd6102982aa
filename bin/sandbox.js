#!/usr/bin/env node
"use strict";

// CommonJS (package.json beside this file), as all of the program: Node starts it sooner than modules.
const nodeModule = require("node:module");
const path = require("node:path");

// Where Node has it (22.8 and later): what was compiled once is not compiled again at the next start.
if ("enableCompileCache" in nodeModule && typeof nodeModule.enableCompileCache === "function")
  nodeModule.enableCompileCache();
const cli = path.join(__dirname, "../dist/cli.cjs");

try {
  require(cli);
} catch (error) {
  if (require("node:fs").existsSync(cli)) throw error;
  process.stderr.write(
    "sandbox: this copy is not built yet (dist/cli.cjs is missing).\n" +
      "Run `npm ci` in a fresh clone, or `npm run build` after a change.\n",
  );
  process.exitCode = 3;
}
