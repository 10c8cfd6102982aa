import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { bundles } from "../../rolldown.config.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Tests of the command run what users run, the built one: it is bundled anew when a source is newer than it. A bundle that fails is said by those
 * tests alone (cli.ts beside this file), since a worker inherits the environment.
 */
export default async function buildProgram(): Promise<void> {
  try {
    if (await isStale()) await build([...bundles]);
  } catch (error) {
    process.env["SANDBOX_BUILD_FAILURE"] = error instanceof Error ? error.message : String(error);
  }
}

async function isStale(): Promise<boolean> {
  const builtAt = await changedAt(join(root, "dist/cli.js"));
  const sources = ["src", "scripts"].map(async (folder) => {
    const names = await readdir(join(root, folder), { recursive: true });
    return names.map((name) => join(root, folder, name));
  });
  const paths = [join(root, "package.json"), ...(await Promise.all(sources)).flat()];
  const changes = await Promise.all(paths.map(changedAt));
  return changes.some((change) => change > builtAt);
}

/** 0 when it is not there: a build that never was is older than anything. */
async function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
