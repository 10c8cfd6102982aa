import { statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../kernel/messages/problem.js";

const names = ["sandbox.config.yaml", "sandbox.config.yml", "sandbox.config.json"];

/** The configuration file of a folder. Throws UsageError("file") when there are several. */
export function findConfigFile(folder: string): string | undefined {
  const [found, ...others] = names.map((name) => join(folder, name)).filter(exists);
  if (others.length === 0) return found;
  const files = [found, ...others].join(" and ");
  throw new UsageError(
    "file",
    `Failed to choose a configuration: ${files} are both there. Keep one, or name it with --config.`,
  );
}

/** A file that cannot be examined counts as present: reading it reports what is wrong. */
function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
