import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { realpath } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { type Source, parseSource, readSource } from "../adapters/files/source.js";
import { UsageError } from "../kernel/problem.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { parseScenario } from "./file/parse-scenario.js";
import { renderFailure } from "./run/failure.js";
import { runScenario } from "./run/replay.js";
import { type Fetch, createSandboxTarget } from "./run/sandbox-target.js";
import type { Scenario } from "./file/scenario.js";
import type { Target } from "./run/world.js";

export interface ReplayerOptions {
  readonly sandbox: Sandbox;
  /** The sandbox's own door; asked for when the first story runs. */
  readonly fetch: Fetch;
  /** Only files below it may be named. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Replays stories that come over the control API. */
export function createScenarioReplayer({ sandbox, fetch, folder, env }: ReplayerOptions) {
  let target: Target | undefined;
  let replays = 0;
  return {
    async replay(request: unknown): Promise<unknown> {
      const scenario = await readRequest(request, folder);
      target ??= createSandboxTarget(sandbox, fetch);
      const name = `replay-${++replays}`;
      const result = await runScenario(target, scenario, name, {
        system: sandbox.system,
        seed: sandbox.options.seed,
        env,
      });
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
    close: async () => target?.close(),
  };
}

async function readRequest(request: unknown, folder: string): Promise<Scenario> {
  const isFile = typeof request === "object" && request !== null && "file" in request && !("steps" in request);
  if (isFile) return asInput(async () => loadBelow(folder, request.file));
  const text = JSON.stringify(request ?? null, undefined, 2);
  return asInput(() => parseScenario(parseSource(text, "scenario.json"), refuseUse));
}

/** Neither the file nor what it uses may lie anywhere else. */
async function loadBelow(folder: string, file: unknown): Promise<Scenario> {
  const readBelow = async (path: unknown): Promise<Source> => readSource(await resolveBelow(folder, path));
  return parseScenario(await readBelow(file), readBelow);
}

/** A story that came over HTTP is nowhere: it cannot say what stands beside it. */
async function refuseUse(): Promise<never> {
  throw new UsageError("file", "A scenario that is sent as JSON cannot use files. Send {file} instead.");
}

/** What is wrong with a file is, over HTTP, wrong input. */
async function asInput(read: () => Promise<Scenario>): Promise<Scenario> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UsageError && error.kind === "file")
      throw new UsageError("input", error.messages, { cause: error });
    throw error;
  }
}

/** Links are followed before it is decided whether the file lies below the folder. */
async function resolveBelow(folder: string, file: unknown): Promise<string> {
  const wanted =
    "file must be the path of a .yaml, .yml or .json file below the folder in which the sandbox was started";
  if (typeof file !== "string" || !/\.(?:ya?ml|json)$/i.test(file)) throw new UsageError("input", wanted);
  const base = await realpath(folder);
  const path = await realpath(resolve(base, file)).catch(() => undefined);
  const below = path === undefined ? undefined : relative(base, path);
  if (below === undefined || below.startsWith("..") || below.startsWith(sep))
    throw new UsageError("input", `${wanted}; there is no such file.`);
  // As somebody in this folder would write it: messages name files.
  return relative("", path ?? file);
}

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
