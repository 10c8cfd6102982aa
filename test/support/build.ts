import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { bundles } from "../../rolldown.config.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Builds the command for its tests when a source is newer than the build. When the build fails, an environment variable makes only those tests
 * fail (see cli.ts).
 */
export default async function buildProgram(): Promise<void> {
  try {
    if (await isStale()) await build([...bundles]);
  } catch (error) {
    process.env["SANDBOX_BUILD_FAILURE"] = error instanceof Error ? error.message : String(error);
  }
}

async function isStale(): Promise<boolean> {
  const builtAt = await changedAt(join(root, "dist/cli.cjs"));
  const sources = ["src", "scripts"].map(async (folder) => {
    const names = await readdir(join(root, folder), { recursive: true });
    return names.map((name) => join(root, folder, name));
  });
  const paths = [join(root, "package.json"), ...(await Promise.all(sources)).flat()];
  const changes = await Promise.all(paths.map(changedAt));
  return changes.some((change) => change > builtAt);
}

/** 0 when there is no such file. */
async function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
