import { messageOf, redactErrors, UsageError } from "../../kernel/messages/problem.js";
import { type GateFlags, addFindingGates, judgeGates, parseGates } from "../shared/gates.js";
import { openVariables, parseChoice, parseWhole } from "../shared/values.js";
import { oneLine, printable } from "../../kernel/messages/text.js";
import { renderFinding } from "../../sandbox/findings/finding.js";
import { parseSeed } from "../run/start-options.js";
import { plainStyle } from "../../kernel/messages/report.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import { assertReachable, createRemoteTarget } from "../../scenarios/run/remote-target.js";
import { type ReplaySummary, type ScenarioResult, replay as replayAll } from "../../scenarios/run/replay.js";
import {
  renderGithub,
  renderGithubProblems,
  renderJson,
  renderJunit,
  renderResult,
  renderSummary,
  renderTap,
} from "../../scenarios/reporters.js";
import type { Scenario } from "../../scenarios/file/scenario.js";
import { EXIT, type Verb, addClosing } from "../shared/help.js";
import {
  alignColumns,
  assertReplacesNone,
  createCounter,
  printData,
  printDiagnostic,
  prepareOutput,
  styleFor,
  writeOutput,
} from "../shared/output.js";
import { type OpenTarget, openOwnTarget } from "../shared/own-target.js";
import { parseRemote, redactorOf } from "../shared/remote.js";
import { SHIPPED, loadScenarioFiles, nameOfFile } from "../shared/scenario-files.js";

export const verb: Verb = (command, exitWith) => {
  command
    .description("Replays scenarios, each in a company of its own, and reports.")
    .argument("[path...]", "files, folders or patterns; @shipped/NAME is one of\nthose in the package")
    .option("--list", "list the scenarios instead (without a path: those in the\npackage)")
    .option(
      "--target <url>",
      "replay against another deployment; what needs the\nsandbox itself is skipped with the reason",
    )
    .option("--token <token>", "its access token (default: SANDBOX_ACCESS_TOKEN)")
    .option("--company <id>", "its company id (default: SANDBOX_COMPANY_ID)")
    .option("--secret <key>", "its secret key (default: SANDBOX_SECRET_KEY)")
    .option("--filter <regex>", "only scenarios whose name or file matches")
    .option("--tag <tag...>", "only scenarios with one of these tags")
    .option("--workers <number>", "how many at a time (default: 8)")
    .option("--shard <i/n>", "the i-th of n equal parts")
    .option("--bail", "start nothing more after the first failure")
    .option("--reporter <form>", "pretty, junit, json, tap or github\n(default: pretty)")
    .option("--out <file>", "write the report there")
    .option("--seed <integer>", "make identifiers and names repeat");
  addFindingGates(command).action(async (paths: readonly string[], flags: ReplayFlags) =>
    exitWith(await replay(paths, flags)),
  );
  addClosing(
    command,
    `Examples:
  sandbox replay scenarios
  sandbox replay scenarios --tag refunds --bail
  sandbox replay @shipped/charge-dropped
  sandbox replay scenarios --reporter junit --out reports/scenarios.xml
  sandbox replay scenarios --target https://staging.example --token "$TOKEN"`,
  );
};

async function replay(paths: readonly string[], flags: ReplayFlags): Promise<number> {
  const options = parseReplayFlags(flags);
  if (flags.list === true) return list(paths.length === 0 ? [SHIPPED] : paths, options);
  if (paths.length === 0)
    throw new UsageError("command-line", "Missing required argument: the path of a scenario, or --list.");
  if (options.out !== undefined) await prepareOutput("the report", options.out);
  const loaded = await load(paths, options);
  if (options.out !== undefined)
    await assertReplacesNone(
      "--out",
      options.out,
      loaded.map(({ file }) => file),
    );
  const selected = select(loaded, options);
  if (selected.length === 0)
    throw new UsageError("file", "Failed to replay: no scenario matches. Look at the paths, --filter and --tag.");
  const scenarios = shardOf(selected, options);
  return redactErrors(redactorOf(options.remote).text, () => replayAt(scenarios, options));
}

async function replayAt(scenarios: readonly Scenario[], options: ReplayOptions): Promise<number> {
  const target = await openTarget(options);
  try {
    const progress = options.reporter === "pretty" ? createProgress(scenarios.length, options) : undefined;
    const { workers, bail, seed, gates } = options;
    const settings = {
      workers,
      bail,
      seed,
      allow: gates.allow,
      system: systemClock,
      env: openVariables(),
      ...progress,
    };
    const replayed = await replayAll(target.target, scenarios, settings);
    const { text } = redactorOf(options.remote);
    const summary = { ...replayed, allowNeverMatched: replayed.allowNeverMatched.map(text) };
    await report(summary, options, progress);
    if (summary.counts.failed + summary.counts.error > 0) return EXIT.assertion;
    const exitCode = judgeGates(gates, {
      findings: summary.results.flatMap(({ seen }) => seen.findings),
      unjudged: whyUnjudged(summary, options),
    });
    // At another deployment all scenarios may be skipped because they need the sandbox, and all of a shard may be.
    const maySkipAll = options.remote !== undefined || options.shard !== undefined;
    if (exitCode !== EXIT.ok || summary.counts.passed > 0 || maySkipAll) return exitCode;
    printDiagnostic("sandbox: inconclusive: every scenario was skipped.");
    return EXIT.inconclusive;
  } finally {
    await target.close();
  }
}

async function list(paths: readonly string[], options: ReplayOptions): Promise<number> {
  const scenarios = select(await load(paths, options), options);
  printData(`${alignColumns(scenarios.map(({ file, name }) => [nameOfFile(file), name])).join("\n")}\n`);
  return EXIT.ok;
}

/** Loads the scenarios. On GitHub, problems in a file are shown at its lines. */
async function load(
  paths: readonly string[],
  { reporter, out, annotates }: ReplayOptions,
): Promise<readonly Scenario[]> {
  try {
    return await loadScenarioFiles(paths);
  } catch (error) {
    const isShown = error instanceof UsageError && error.kind === "file" && (annotates || reporter === "github");
    if (isShown) annotate(renderGithubProblems(error.messages), { reporter, out });
    throw error;
  }
}

function whyUnjudged({ counts }: ReplaySummary, { remote, shard }: ReplayOptions): string | undefined {
  if (remote !== undefined) return "findings are not seen at another deployment. Leave out --target.";
  return counts.passed === 0 && shard === undefined ? "no scenario passed." : undefined;
}

function select(scenarios: readonly Scenario[], { filter, tags }: ReplayOptions): Scenario[] {
  return scenarios
    .filter(({ name, file }) => filter === undefined || filter.test(name) || filter.test(file))
    .filter((scenario) => tags.length === 0 || scenario.tags.some((tag) => tags.includes(tag)));
}

function shardOf(scenarios: readonly Scenario[], { shard }: ReplayOptions): readonly Scenario[] {
  return shard === undefined ? scenarios : scenarios.filter((_, index) => index % shard.count === shard.index - 1);
}

async function openTarget(options: ReplayOptions): Promise<OpenTarget> {
  if (options.remote !== undefined) {
    await assertReachable(options.remote);
    const target = createRemoteTarget({ ...options.remote, system: systemClock });
    return { target, close: () => target.close() };
  }
  return openOwnTarget(options.seed);
}

const reporters = { junit: renderJunit, json: renderJson, tap: renderTap, github: renderGithub };
const reporterNames = ["pretty", "junit", "json", "tap", "github"] as const;

async function report(summary: ReplaySummary, options: ReplayOptions, progress: Progress | undefined): Promise<void> {
  const text =
    options.reporter === "pretty"
      ? summary.results.map((result) => renderResult(result, plainStyle)).join("") + renderSummary(summary, plainStyle)
      : reporters[options.reporter](summary);
  if (options.out !== undefined) {
    await writeOutput("the report", options.out, text);
  } else if (progress === undefined && text !== "") {
    printData(text);
  }
  progress?.end(summary);
  if (progress === undefined)
    printDiagnostic(renderFindings(summary, options) + renderSummary(summary, plainStyle).trim());
  if (options.annotates && options.reporter !== "github") annotate(renderGithub(summary), options);
}

/** What `junit`, `tap` and `github` leave out, each with its scenario. */
function renderFindings({ results }: ReplaySummary, { reporter }: ReplayOptions): string {
  if (reporter === "json") return "";
  return results
    .flatMap(({ scenario, seen }) =>
      seen.findings.map((finding) => printable(`${oneLine(scenario.file)}: ${renderFinding(finding)}\n`)),
    )
    .join("");
}

/** GitHub reads both streams. On stdout, lines after a report for a program would break it. */
function annotate(text: string, { reporter, out }: Pick<ReplayOptions, "reporter" | "out">): void {
  if (out === undefined && reporter !== "pretty" && reporter !== "github") process.stderr.write(text);
  else if (text !== "") printData(text);
}

type Progress = ReturnType<typeof createProgress>;

/** Prints each result, and on a terminal the progress. */
function createProgress(total: number, { out }: ReplayOptions) {
  const stream = out === undefined ? process.stdout : process.stderr;
  const style = styleFor(stream);
  const counter = createCounter(stream);
  let done = 0;
  return {
    onResult(result: ScenarioResult): void {
      done++;
      stream.write(counter.clear + renderResult(result, style));
      if (done < total) counter.show(`${done} of ${total}`);
    },
    end: (summary: ReplaySummary) => void stream.write(counter.clear + renderSummary(summary, style)),
  };
}

interface ReplayFlags extends GateFlags {
  readonly target?: string;
  readonly token?: string;
  readonly company?: string;
  readonly secret?: string;
  readonly filter?: string;
  readonly tag?: readonly string[];
  readonly workers?: string;
  readonly shard?: string;
  readonly bail?: true;
  readonly list?: true;
  readonly reporter?: string;
  readonly out?: string;
  readonly seed?: string;
}

type ReplayOptions = ReturnType<typeof parseReplayFlags>;

const WORKERS_DEFAULT = 8;
const WORKERS_MAX = 1000;

/** Throws UsageError("command-line") for a wrong flag. */
function parseReplayFlags(flags: ReplayFlags) {
  return {
    remote: parseTarget(flags),
    filter: flags.filter === undefined ? undefined : parseRegex(flags.filter),
    tags: flags.tag ?? [],
    workers: flags.workers === undefined ? WORKERS_DEFAULT : parseWhole("--workers", flags.workers, 1, WORKERS_MAX),
    shard: flags.shard === undefined ? undefined : parseShard(flags.shard),
    bail: flags.bail === true,
    reporter: flags.reporter === undefined ? "pretty" : parseChoice("--reporter", flags.reporter, reporterNames),
    out: flags.out,
    seed: flags.seed === undefined ? undefined : parseSeed("--seed", flags.seed),
    gates: parseGates(flags),
    annotates: process.env["GITHUB_ACTIONS"] === "true",
  };
}

function parseTarget({ target, token, company, secret }: ReplayFlags) {
  if (target === undefined) {
    const stray = Object.entries({ token, company, secret }).find(([, value]) => value !== undefined)?.[0];
    if (stray !== undefined)
      throw new UsageError(
        "command-line",
        `--${stray} goes with --target: without one each scenario has a company of its own.`,
      );
    return undefined;
  }
  return parseRemote(target, { token, company, secret });
}

function parseRegex(text: string): RegExp {
  try {
    return new RegExp(text, "iu");
  } catch (error) {
    throw new UsageError("command-line", `--filter must be a regular expression: ${messageOf(error)}.`);
  }
}

function parseShard(text: string): { index: number; count: number } {
  const parts = /^(\d{1,6})\/(\d{1,6})$/.exec(text);
  const index = Number(parts?.[1]);
  const count = Number(parts?.[2]);
  if (parts !== null && index >= 1 && index <= count) return { index, count };
  throw new UsageError("command-line", `--shard must be i/n with i from 1 to n, such as 1/3, got "${text}".`);
}
