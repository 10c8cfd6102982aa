import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UsageError } from "../../kernel/problem.js";
import { initFiles } from "../init-files.js";
import { printData } from "../output.js";

/**
 * `sandbox init`: writes a commented configuration, a first scenario and a first test into a folder. Writes nothing at all when one of them is there
 * already: what somebody wrote is never overwritten.
 */
export async function init(folder = "."): Promise<void> {
  const files = Object.entries(initFiles).map(([name, text]) => ({ path: join(folder, name), text }));
  const written: string[] = [];
  for (const { path, text } of files) {
    await mkdir(dirname(path), { recursive: true }).catch((error: unknown) => fail(path, error));
    // `wx`: only when it is not there, decided by the file system and not by a look before.
    await writeFile(path, text, { flag: "wx" }).catch((error: unknown) => fail(path, error, written));
    written.push(path);
  }
  printData(`Written:\n${written.map((path) => `  ${path}`).join("\n")}\n\nNext:\n${NEXT}`);
}

const NEXT = `  sandbox start                   run it with this configuration
  sandbox replay scenarios        replay the first scenario
  sandbox exec -- node --test     run the first test beside a sandbox`;

function fail(path: string, error: unknown, written: readonly string[] = []): never {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const already = written.length === 0 ? "" : ` Written before it: ${written.join(", ")}.`;
  if (code === "EEXIST") {
    throw new UsageError(
      "cannot-run",
      `Failed to write ${path}: it is there already, and is left as it is. Choose another folder: sandbox init DIR.${already}`,
    );
  }
  throw new UsageError(
    "cannot-run",
    `Failed to write ${path}: ${error instanceof Error ? error.message : String(error)}.${already}`,
  );
}
