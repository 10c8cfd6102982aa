import { isAllowed, unmatched } from "../../sandbox/config/allowance.js";
import { reasonOf } from "../../kernel/messages/problem.js";
import { freeName } from "../../kernel/messages/text.js";
import { createIdSource, hashToSeed } from "../../kernel/records/ids.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { loadFakeData } from "../file/fake-data.js";
import { type Scenario, leavesOf } from "../file/scenario.js";
import { type Failure, redactFailure } from "./failure.js";
import type { StepContext } from "./run-request.js";
import { runSteps } from "./run-step.js";
import { Variables } from "./variables.js";
import { nothingSeen, type ScenarioWorld, type Seen, type Target } from "./world.js";

export interface RunOptions {
  readonly system: SystemClock;
  /** Makes `${uuid}`, `${faker.…}` and identifiers the same in every run. */
  readonly seed: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the replay early, as an error whose message is the reason. */
  readonly signal?: AbortSignal;
}

export interface ReplayOptions extends RunOptions {
  /** How many scenarios run at the same time. Each has its own company. */
  readonly workers: number;
  /** Whether to start no more scenarios after the first failure. */
  readonly bail: boolean;
  /** Findings that are expected: `KIND` or `KIND:RESOURCE`. */
  readonly allow?: readonly string[];
  /** Called with each result, in the order of the files. */
  readonly onResult?: (result: ScenarioResult) => void;
}

type Outcome = "passed" | "failed" | "error" | "skipped";

export interface ScenarioResult {
  readonly scenario: Scenario;
  readonly outcome: Outcome;
  /** Why the scenario was skipped, or proves nothing. */
  readonly reason: string | undefined;
  readonly failure: Failure | undefined;
  /** Real time, ms. */
  readonly durationMs: number;
  /** Steps of repetitions and used files count each time. */
  readonly stepsPassed: number;
  readonly seen: Seen;
}

export interface ReplaySummary {
  /** In the order of the files. */
  readonly results: readonly ScenarioResult[];
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly durationMs: number;
  readonly seed: number | undefined;
  /** How many scenarios were not run because an earlier one failed under `bail`. */
  readonly notRun: number;
  /** Entries of `allow` that no finding matched. */
  readonly allowNeverMatched: readonly string[];
}

/** Replays scenarios, several at a time. The number at a time does not change the result. */
export async function replay(
  target: Target,
  scenarios: readonly Scenario[],
  options: ReplayOptions,
): Promise<ReplaySummary> {
  const { system, seed, workers, bail, onResult } = options;
  const start = system.monotonic();
  const results: (ScenarioResult | undefined)[] = [];
  const names = uniqueNames(scenarios);
  const queue = scenarios.entries();
  let reported = 0;
  let stopped = false;
  const worker = async (): Promise<void> => {
    for (const [index, scenario] of queue) {
      const ran = await runScenario(target, scenario, names[index] ?? String(index), options);
      const result = { ...ran, seen: separateAllowed(ran.seen, options.allow ?? []) };
      results[index] = result;
      for (let next = results[reported]; next !== undefined; next = results[++reported]) onResult?.(next);
      if (bail && result.failure !== undefined) stopped = true;
      if (stopped) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, scenarios.length) }, worker));
  const run = results.filter((result) => result !== undefined);
  const counts = { passed: 0, failed: 0, error: 0, skipped: 0 };
  for (const { outcome } of run) counts[outcome]++;
  const durationMs = system.monotonic() - start;
  const allowed = run.flatMap(({ seen }) => seen.allowed);
  const allowNeverMatched = unmatched(options.allow ?? [], allowed);
  return { results: run, counts, durationMs, seed, notRun: scenarios.length - run.length, allowNeverMatched };
}

function separateAllowed({ findings, ...seen }: Seen, allow: readonly string[]): Seen {
  const allowed = findings.filter((finding) => isAllowed(finding, allow));
  return { ...seen, allowed, findings: findings.filter((finding) => !allowed.includes(finding)) };
}

const NAME_MAX = 80;

/** A name for each that is the same in every run. Equal names are numbered. */
function uniqueNames(scenarios: readonly Scenario[]): string[] {
  const taken = new Set<string>();
  return scenarios.map(({ file, name }) => {
    const stem = `${file.split(/[\\/]/).at(-1) ?? "scenario"}-${name}`
      .replaceAll(/[^A-Za-z0-9]+/g, "-")
      .toLowerCase()
      .slice(0, NAME_MAX);
    const unique = freeName(stem, (each) => !taken.has(each));
    taken.add(unique);
    return unique;
  });
}

/** Replays one scenario. Never rejects: problems are in the result. */
export async function runScenario(
  target: Target,
  scenario: Scenario,
  name: string,
  options: RunOptions,
): Promise<ScenarioResult> {
  const unrun = { scenario, reason: undefined, failure: undefined, durationMs: 0, stepsPassed: 0, seen: nothingSeen };
  const reason = target.unfit(scenario);
  if (reason !== undefined) return { ...unrun, outcome: "skipped", reason };
  const start = options.system.monotonic();
  let stepsPassed = 0;
  let failure: Failure | undefined;
  let seen = nothingSeen;
  const onStep: StepContext["onStep"] = (_, failed) => (stepsPassed += failed === undefined ? 1 : 0);
  let hasSuccess = false;
  const onAnswer: StepContext["onAnswer"] = ({ status }) => void (hasSuccess ||= status < 300);
  try {
    options.signal?.throwIfAborted();
    const world = await target.open(scenario, name, options.signal);
    try {
      const failed = await runInWorld(world, scenario, name, options, { waitFor: undefined, onStep, onAnswer });
      failure = failed ?? findForged(scenario, world);
      seen = world.seen();
    } finally {
      await world.close();
    }
  } catch (error) {
    failure = { kind: "error", step: "given", position: scenario.givenPosition, message: reasonOf(error) };
  }
  const durationMs = options.system.monotonic() - start;
  const ran = { ...unrun, failure, durationMs, stepsPassed, seen };
  if (failure !== undefined) return { ...ran, outcome: failure.kind === "failure" ? "failed" : "error" };
  if (hasSuccess || isChecked(scenario)) return { ...ran, outcome: "passed" };
  return { ...ran, outcome: "skipped", reason: hasRequest(scenario) ? ALL_REFUSED : PROVES_NOTHING };
}

const PROVES_NOTHING = "it has no request and no webhook step, and expects nothing, so it proves nothing";
const ALL_REFUSED = "it expects nothing, and each of its requests was refused or redirected, so it proves nothing";

function isChecked({ steps }: Scenario): boolean {
  return [...leavesOf(steps)].some((step) => {
    if (step.kind === "webhook" || step.kind === "noWebhook") return true;
    return "expect" in (step.kind === "eventually" ? step.eventually : step);
  });
}

function hasRequest({ steps }: Scenario): boolean {
  return [...leavesOf(steps)].some(({ kind }) => kind === "request" || kind === "eventually");
}

export async function runInWorld(
  world: ScenarioWorld,
  { usesFaker, steps }: Scenario,
  name: string,
  { system, seed, env, signal }: RunOptions,
  hooks: Pick<StepContext, "waitFor" | "onStep" | "onAnswer">,
): Promise<Failure | undefined> {
  const fakes = usesFaker ? await loadFakeData() : undefined;
  const drawFake = fakes?.drawer(hashToSeed(seed ?? 0, name), world.now());
  const ids = createIdSource(seed, `scenario ${name}`);
  const variables = new Variables({ world, ids, env, drawFake });
  const failure = await runSteps({ world, variables, system, signal, ...hooks }, steps);
  return failure && redactFailure(failure, world.redactor);
}

/** Only a scenario that uses rules may receive webhooks with a wrong signature. */
function findForged({ usesRules, givenPosition }: Scenario, world: ScenarioWorld): Failure | undefined {
  const received = world.received();
  const wrong = received.filter((webhook) => !webhook.genuine);
  if (wrong.length === 0 || usesRules) return undefined;
  const message = `${wrong.length} webhook(s) came with a signature that is not the body's`;
  const failure = { kind: "failure", step: "signatures", position: givenPosition, message, received } as const;
  return redactFailure(failure, world.redactor);
}
