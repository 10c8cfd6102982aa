import { readdir, realpath } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { parseSource, readSource, type Source } from "../adapters/files/source.js";
import { UsageError } from "../kernel/messages/problem.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { Scenario } from "./file/scenario.js";
import { createSandboxTarget, type Fetch } from "./run/sandbox-target.js";

export interface ReplayerOptions {
  readonly sandbox: Sandbox;
  /** Calls the sandbox without a socket. */
  readonly fetch: Fetch;
  /** Only files below it may be named. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Replays scenarios that come over the control API. */
export function createReplayer({ sandbox, fetch, folder, env }: ReplayerOptions) {
  const target = createSandboxTarget(sandbox, fetch);
  let replays = 0;
  return {
    async replay(request: unknown): Promise<unknown> {
      const { runScenario } = await import("./run/replay.js");
      const { renderFailure } = await import("./run/failure.js");
      const scenario = await parseRequest(request, folder);
      const { system, options } = sandbox;
      const result = await runScenario(target, scenario, `replay-${++replays}`, { system, seed: options.seed, env });
      const { outcome, durationMs, stepsPassed, failure, seen } = result;
      return {
        name: scenario.name,
        file: scenario.file,
        outcome,
        stepsPassed,
        durationMs: Math.round(durationMs),
        ...(failure === undefined ? {} : { failure: { ...failure, text: renderFailure(failure) } }),
        findings: seen.findings,
        rulesNeverFired: seen.rulesNeverFired,
      };
    },
    list: () => listScenarioFiles(folder),
    close: () => target.close(),
  };
}

/** Where scenarios are by default: `sandbox init` writes the first one there. */
export const SCENARIO_FOLDER = "scenarios";
const LISTED_MAX = 500;

/** The scenario files below `scenarios/` of a folder, sorted, as `{file}` of a replay takes them; none without such a folder. */
async function listScenarioFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, SCENARIO_FOLDER), { recursive: true }).catch(() => []);
  const files = names.filter((name) => SCENARIO_FILE.test(name)).map((name) => name.replaceAll("\\", "/"));
  return files
    .sort()
    .slice(0, LISTED_MAX)
    .map((name) => `${SCENARIO_FOLDER}/${name}`);
}

const SCENARIO_FILE = /\.(?:ya?ml|json)$/i;

/** A problem in a file is, over HTTP, a problem of the input. */
async function parseRequest(request: unknown, folder: string): Promise<Scenario> {
  const { parseScenario } = await import("./file/parse-scenario.js");
  const isFile = typeof request === "object" && request !== null && "file" in request && !("steps" in request);
  try {
    if (!isFile) {
      const text = JSON.stringify(request ?? null, undefined, 2);
      return await parseScenario(parseSource(text, "scenario.json"), refuseToRead);
    }
    const readBelow = async (path: unknown): Promise<Source> => readSource(await resolveBelow(folder, path));
    return await parseScenario(await readBelow(request.file), readBelow);
  } catch (error) {
    if (error instanceof UsageError && error.kind === "file")
      throw new UsageError("input", error.messages, { cause: error });
    throw error;
  }
}

/** A scenario that came over HTTP is in no folder: it cannot name other files. */
async function refuseToRead(): Promise<never> {
  throw new UsageError("file", "A scenario that is sent as JSON cannot use files. Send {file} instead.");
}

/** Follows links before it decides whether the file is below the folder. */
async function resolveBelow(folder: string, file: unknown): Promise<string> {
  const wanted =
    "file must be the path of a .yaml, .yml or .json file below the folder in which the sandbox was started";
  if (typeof file !== "string" || !SCENARIO_FILE.test(file)) throw new UsageError("input", wanted);
  const base = await realpath(folder);
  const path = await realpath(resolve(base, file)).catch(() => undefined);
  const below = path === undefined ? undefined : relative(base, path);
  if (path === undefined || below === undefined || below.startsWith("..") || below.startsWith(sep))
    throw new UsageError("input", `${wanted}; there is no such file.`);
  // Messages name files as a user in this folder would.
  return relative("", path);
}
