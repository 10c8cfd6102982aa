import { join } from "node:path";
import { stringify } from "yaml";
import {
  type ExploreOptions,
  type ExplorePlan,
  explore as exploreFaults,
  planExploration,
} from "../../experiments/explore/explore.js";
import { type Verdict, bugVerdicts } from "../../experiments/run/oracle.js";
import {
  renderJson,
  renderJunit,
  renderMarkdown,
  renderPretty,
  renderRun,
  renderSum,
} from "../../experiments/explore/reporters.js";
import type { ExploreReport, ExploreRun } from "../../experiments/explore/report.js";
import { Inconclusive } from "../../experiments/run/run-baseline.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { wrapText } from "../../kernel/messages/text.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import { createBench } from "../run/bench.js";
import { type ExperimentFlags, addExperimentOptions, parseExperimentFlags } from "../run/experiment-options.js";
import { prepareStart } from "../run/prepare-start.js";
import { renderExec } from "../run/render-exec.js";
import { exitCodeOfSignal, onStopSignal } from "../run/stop.js";
import { EXIT, type Verb, addClosing } from "../shared/help.js";
import {
  alignColumns,
  createCounter,
  prepareOutput,
  printData,
  printDiagnostic,
  printJson,
  styleFor,
  writeOutput,
} from "../shared/output.js";
import { parseChoice } from "../shared/values.js";

const FOLDER = "reports/explore";

export const verb: Verb = (command, exitWith) => {
  command
    .description(
      "Runs a command again and again, each time with one fault at one point of its\ntraffic, and reports which fault makes it pay twice, lose a payment, hang or crash.",
    )
    .usage("[options] -- <command> [arg...]")
    .argument("[command...]", "what to run, with its arguments, after --")
    .option("--depth <number>", "2: also faults at what the recovery from one adds\n(default: 1)")
    .option(
      "--fail-on <verdict...>",
      `exit with 5 if there are any of ${bugVerdicts.join(", ")}\n(default: unsafe,lost)`,
    );
  addExperimentOptions(command, "faults, points, operations, topics", FOLDER).action(
    async (words: readonly string[], flags: ExploreFlags) => exitWith(await explore(words, flags)),
  );
  addClosing(
    command,
    "The command gets the same variables as with exec. It must pass without a fault.\nExits with 6 if it does not, or never calls the sandbox.",
    `Examples:
  sandbox explore -- npm test
  sandbox explore --list -- ./pay-salaries
  sandbox explore --only createTransaction answer-lost -- ./pay-salaries
  sandbox explore --depth 2 --time 5m --workers 4 -- pytest`,
  );
};

interface ExploreFlags extends ExperimentFlags {
  readonly depth?: string;
  readonly failOn?: readonly string[];
}

async function explore(words: readonly string[], flags: ExploreFlags): Promise<number> {
  const options = parseExploreFlags(words, flags);
  const { command, names, check, folder } = options;
  const seed = await findSeed(flags);
  const startFlags = { ...flags, seed: String(seed) };
  await prepareOutput("the reports", join(folder, "01.yaml"));
  const stop = new AbortController();
  let exitCode: number | undefined;
  const unsubscribe = onStopSignal((signal) => {
    exitCode = exitCodeOfSignal(signal);
    if (stop.signal.aborted) process.exit(exitCode);
    stop.abort();
  });
  const bench = createBench({ command, flags: startFlags, names, check, folder });
  const progress = createProgress();
  const given: ExploreOptions = {
    ...options,
    seed,
    system: systemClock,
    signal: stop.signal,
    keep: async ({ id, rules, summary }) => {
      const file = join(folder, `${id}.yaml`);
      const story = wrapText(summary, STORY_WIDTH, 2, "# ").map((line) => line.replace(/^ {2}/, "# "));
      await writeOutput("the rules", file, `${story.join("\n")}\n${stringify(rules)}`);
      return renderExec(command, startFlags, file, flags.env);
    },
    onRun: async (run, done, total) => {
      progress.show(run, done, total);
      await bench.forget(`${run.id}-again`);
      if (run.output === null) await bench.forget(run.id);
    },
  };
  try {
    const plan = await planExploration(bench.run, given);
    for (const id of ["baseline-1", "baseline-2"]) await bench.forget(id);
    if (options.list) {
      printPlan(plan, options);
      return EXIT.ok;
    }
    progress.begin(plan);
    const report = await exploreFaults(bench.run, plan, given);
    progress.end();
    print(report, options);
    if (exitCode !== undefined) return exitCode;
    return options.failOn.some((verdict) => report.counts[verdict] > 0) ? EXIT.gate : EXIT.ok;
  } catch (error) {
    if (!(error instanceof Inconclusive)) throw error;
    printDiagnostic(`sandbox: inconclusive: ${error.message}`);
    return exitCode ?? EXIT.inconclusive;
  } finally {
    unsubscribe();
  }
}

const STORY_WIDTH = 100;

type ParsedExplore = ReturnType<typeof parseExploreFlags>;

function parseExploreFlags(words: readonly string[], flags: ExploreFlags) {
  const { depth, failOn = ["unsafe", "lost"] } = flags;
  const chosen = failOn.flatMap((text) => text.split(",")).filter((name) => name !== "");
  return {
    ...parseExperimentFlags("explore", words, flags, FOLDER),
    depth: depth === undefined ? 1 : depths[parseChoice("--depth", depth, ["1", "2"])],
    failOn: chosen.map((name): Verdict => parseChoice("--fail-on", name, bugVerdicts)),
  };
}

const depths = { "1": 1, "2": 2 } as const;

/** All runs have the seed of the user, or a fixed one, so that the sandbox does the same in each. */
async function findSeed(flags: ExploreFlags): Promise<number> {
  const { options, store } = await prepareStart(flags, { ...process.env, PORT: undefined });
  if (store !== undefined)
    throw new UsageError("command-line", "--store does not go with explore: each run begins with the same state.");
  return options.seed ?? SEED_DEFAULT;
}

const SEED_DEFAULT = 1;

/** Progress on stderr: a line for each run, and on a terminal the number of those that are done. */
function createProgress() {
  const stream = process.stderr;
  const style = styleFor(stream);
  const counter = createCounter(stream);
  return {
    begin({ baseline, faults }: ExplorePlan): void {
      const { ms, seen } = baseline.result;
      const [requests, webhooks] = [count(seen.requests.length, "request"), count(seen.deliveries.length, "webhook")];
      const base = `without a fault: ${requests} and ${webhooks} in ${Math.round(ms)} ms`;
      stream.write(`${style.faint(`${base}; ${count(faults.length, "fault")} to try`)}\n`);
    },
    show(run: ExploreRun, done: number, total: number): void {
      stream.write(`${counter.clear}${renderRun(run, style)}\n`);
      if (done < total) counter.show(`${done} of ${total}`);
    },
    end: () => void stream.write(counter.clear),
  };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function print(report: ExploreReport, { reporter, failOn }: ParsedExplore): void {
  if (reporter === "pretty") return printData(renderPretty(report, styleFor(process.stdout)));
  printData({ json: renderJson, md: renderMarkdown, junit: renderJunit }[reporter](report, failOn));
  printDiagnostic(renderSum(report, styleFor(process.stderr)));
}

function printPlan({ faults, equivalent }: ExplorePlan, { reporter }: ParsedExplore): void {
  if (reporter === "json") return printJson(faults.map(({ id, fault, point }) => ({ id, point, fault })));
  printData(alignColumns(faults.map(({ id, fault, point }) => [id, fault, point.name, point.about])).join("\n"));
  if (equivalent > 0) printDiagnostic(`${equivalent} more do the same as one of them`);
}
