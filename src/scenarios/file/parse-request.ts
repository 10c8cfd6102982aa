import { realpath } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { jsonSource } from "../../adapters/files/json-source.js";
import { readSource, type Source } from "../../adapters/files/source.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { parseScenario } from "./parse-scenario.js";
import { SCENARIO_FILE, type Scenario } from "./scenario.js";

/** The scenario of a replay over HTTP: `{file}` below the folder, or the scenario itself. Over HTTP, a problem of a file is a problem of the input. */
export async function parseRequest(request: unknown, folder: string): Promise<Scenario> {
  const isFile = typeof request === "object" && request !== null && "file" in request && !("steps" in request);
  try {
    if (!isFile) {
      return await parseScenario(jsonSource(request ?? null, "scenario.json"), refuseToRead);
    }
    const readBelow = async (path: unknown): Promise<Source> => readSource(await resolveBelow(folder, path));
    return await parseScenario(await readBelow(request.file), readBelow);
  } catch (error) {
    if (error instanceof UsageError && error.kind === "file")
      throw new UsageError("input", error.messages, { cause: error });
    throw error;
  }
}

/** A scenario that came over HTTP is in no folder, so it cannot name other files. */
async function refuseToRead(): Promise<never> {
  throw new UsageError("file", "A scenario that is sent as JSON cannot use files. Send {file} instead.");
}

/** Links are followed before it is decided whether the file is below the folder. */
async function resolveBelow(folder: string, file: unknown): Promise<string> {
  const wanted =
    "file must be the path of a .yaml, .yml or .json file below the folder in which the sandbox was started";
  if (typeof file !== "string" || !SCENARIO_FILE.test(file)) throw new UsageError("input", wanted);
  const base = await realpath(folder);
  const path = await realpath(resolve(base, file)).catch(() => undefined);
  const below = path === undefined ? undefined : relative(base, path);
  if (path === undefined || below === undefined || below.startsWith("..") || below.startsWith(sep))
    throw new UsageError("input", `${wanted}; there is no such file.`);
  // Messages name files as a user in this folder does.
  return relative("", path);
}
