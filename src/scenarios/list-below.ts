import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Where stories lie by custom: `sandbox init` puts the first there. */
export const SCENARIO_FOLDER = "scenarios";

/** As many as one looks through. */
const LISTED_MAX = 500;

/** The files below `scenarios/` of a folder that may hold stories, in the order of their names, as `{file}` of a replay takes them; none without such a folder. */
export async function listBelow(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, SCENARIO_FOLDER), { recursive: true }).catch(() => []);
  const files = names.filter((name) => /\.(?:ya?ml|json)$/i.test(name)).map((name) => name.replaceAll("\\", "/"));
  return files
    .sort()
    .slice(0, LISTED_MAX)
    .map((name) => `${SCENARIO_FOLDER}/${name}`);
}
