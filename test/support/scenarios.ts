import { createHttpTransport } from "../../src/adapters/delivery/http-transport.js";
import { type OperationId, findOperation } from "../../src/contract/operations.js";
import { parseSource } from "../../src/adapters/files/source.js";
import { createInProcessFetch } from "../../src/http/server/in-process-fetch.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import type { Coverage } from "../../src/sandbox/coverage/coverage-report.js";
import { parseScenario } from "../../src/scenarios/file/parse-scenario.js";
import { renderFailure } from "../../src/scenarios/run/failure.js";
import { type ReplayOptions, type ReplaySummary, replay } from "../../src/scenarios/run/replay.js";
import { createSandboxTarget } from "../../src/scenarios/run/sandbox-target.js";
import type { Scenario, Step } from "../../src/scenarios/file/scenario.js";
import { validateAnswer } from "./validate-answer.js";
import { type LooseJson, type WorldOptions, createWorld } from "./world.js";

/** A request to the API and its answer. */
interface ReplayedExchange {
  readonly operation: OperationId | undefined;
  readonly status: number;
  readonly body: LooseJson;
}

/** What happened while scenarios were replayed. */
export interface Replayed extends ReplaySummary {
  readonly exchanges: readonly ReplayedExchange[];
  /** The bodies of all webhooks, repeated ones included. */
  readonly payloads: readonly LooseJson[];
  /** The failures as text; empty when all scenarios passed. */
  readonly failures: string;
  /** The coverage of all scenarios together. */
  readonly coverage: Coverage;
}

export type ReplayTestOptions = Partial<ReplayOptions> & {
  readonly world?: WorldOptions;
  /** May answer a request instead of the sandbox. */
  readonly intercept?: (request: Request) => Promise<Response | undefined>;
};

/** Replays scenarios in a new sandbox, in process; every answer is validated against the API description. */
export async function replayAll(
  scenarios: readonly Scenario[],
  { world: worldOptions, intercept, ...options }: ReplayTestOptions = {},
): Promise<Replayed> {
  const exchanges: ReplayedExchange[] = [];
  const payloads: LooseJson[] = [];
  const http = createHttpTransport(systemClock);
  const world = createWorld({
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...worldOptions,
    transport: {
      send(request) {
        payloads.push(JSON.parse(request.body.toString()));
        return http.send(request);
      },
      close: () => http.close(),
    },
  });
  const fetch = createInProcessFetch(() => world.app);
  const target = createSandboxTarget(world.sandbox, async (request) => {
    const intercepted = await intercept?.(request.clone());
    if (intercepted !== undefined) return intercepted;
    const { pathname, search } = new URL(request.url);
    const token = request.headers.get("authorization")?.replace(/^Bearer +/i, "") ?? "";
    const company = world.sandbox.findByToken(token) ?? world.sandbox.companies[0];
    const profile = company?.profile;
    // The answers of rules need not match the API description.
    const isRuled = company !== undefined && company.world.rules.size > 0;
    const answer = await fetch(request);
    if (!pathname.startsWith("/v1/") || isRuled) return answer;
    const text = await answer.clone().text();
    const body: LooseJson = text === "" ? undefined : JSON.parse(text);
    exchanges.push({ operation: findOperation(request.method, pathname), status: answer.status, body });
    validateAnswer({ method: request.method, path: pathname + search, status: answer.status, body }, profile);
    return answer;
  });
  try {
    const summary = await replay(target, scenarios, {
      system: systemClock,
      seed: undefined,
      env: {},
      workers: 8,
      bail: false,
      ...options,
    });
    const failures = summary.results.flatMap(({ scenario, failure }) =>
      failure === undefined ? [] : [`${scenario.name}\n${renderFailure(failure)}`],
    );
    const coverage = world.sandbox.coverage.ofAll(world.sandbox.companies);
    return { ...summary, exchanges, payloads, failures: failures.join("\n\n"), coverage };
  } finally {
    await target.close();
    await world.close();
  }
}

/** Parses a scenario in YAML. Other files that it uses are taken from `files`. */
export function parseText(yaml: string, files: Readonly<Record<string, string>> = {}): Promise<Scenario> {
  return parseScenario(parseSource(yaml, "scenario.yaml"), async (path) => {
    const name = path.split("/").at(-1) ?? path;
    const text = files[name];
    if (text === undefined) throw new Error(`The test has no file ${name}.`);
    return parseSource(text, name);
  });
}

/** Replays one scenario, in YAML. */
export async function replayText(yaml: string, options: ReplayTestOptions & { files?: Record<string, string> } = {}) {
  const { files, ...replayOptions } = options;
  const { results, exchanges, payloads, failures } = await replayAll([await parseText(yaml, files)], replayOptions);
  const [result] = results;
  if (result === undefined) throw new Error("Nothing was replayed.");
  return { ...result, exchanges, payloads, failures };
}

/** The steps, including nested ones. */
export function allSteps(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => [step, ...("steps" in step ? allSteps(step.steps) : [])]);
}
