#!/usr/bin/env node
import { existsSync } from "node:fs";
import nodeModule from "node:module";

// Node 22.8 and later compile the program once and not at every start.
if ("enableCompileCache" in nodeModule && typeof nodeModule.enableCompileCache === "function")
  nodeModule.enableCompileCache();
const cli = new URL("../dist/cli.cjs", import.meta.url);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

try {
  if (major > 20 || (major === 20 && minor >= 19)) await import(cli.href);
  else {
    process.stderr.write(
      `sandbox: Node 20.19 or later is needed, and this is Node ${process.versions.node}.\n` +
        "Install a newer one (https://nodejs.org), or run the container image.\n",
    );
    process.exitCode = 3;
  }
} catch (error) {
  if (existsSync(cli)) throw error;
  process.stderr.write(
    "sandbox: this copy is not built yet (dist/cli.cjs is missing).\n" +
      "Run `npm ci` in a fresh clone, or `npm run build` after a change.\n",
  );
  process.exitCode = 3;
}
