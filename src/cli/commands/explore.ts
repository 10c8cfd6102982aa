import { stringify } from "yaml";
import {
  type ExploreOptions,
  type ExplorePlan,
  explore as exploreFaults,
  planExploration,
} from "../../experiments/explore/explore.js";
import {
  renderJunit,
  renderMarkdown,
  renderPretty,
  renderRun,
  renderSum,
} from "../../experiments/explore/reporters.js";
import { bugVerdicts } from "../../experiments/run/oracle.js";
import { oneLine, wrapText, pluralize } from "../../kernel/messages/text.js";
import { type ExperimentFlags, addExperimentOptions, parseExperimentFlags } from "../run/experiment-options.js";
import { inSession } from "../run/experiment-session.js";
import type { StartFlags } from "../run/start-options.js";
import { EXIT, type Verb, addClosing } from "../shared/help.js";
import { WIDTH_MAX, alignColumns, printData, printDiagnostic, printJson, printReport } from "../shared/output.js";
import { parseChoice, parseChoices } from "../shared/values.js";

const FOLDER = "reports/explore";

export const verb: Verb = (command, exitWith) => {
  command
    .description(
      "Runs a command again and again, each time with one fault at one point of its\ntraffic. Reports which fault makes it pay twice, lose a payment, hang or crash.",
    )
    .usage("[options] -- <command> [arg...]")
    .argument("[command...]", "what to run, with its arguments, after --")
    .option("--depth <number>", "2: also faults in the recovery from a fault\n(default: 1)")
    .option(
      "--fail-on <verdict...>",
      `exit with 5 if there are any of ${bugVerdicts.join(", ")}\n(default: unsafe,lost)`,
    );
  addExperimentOptions(command, "faults, points, operations, topics", FOLDER).action(
    async (words: readonly string[], flags: ExploreFlags) => exitWith(await explore(words, flags)),
  );
  addClosing(
    command,
    "The command gets the same variables as with exec. It must pass without a fault.\nExits with 6 if it does not, never calls the sandbox, or no fault is chosen.",
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
  return inSession("explore", options, flags, async (session) => {
    const { run: runOnce, progress } = session;
    const settings: ExploreOptions = {
      ...session.settings,
      depth: options.depth,
      keep: async ({ id, rules, summary }, printed) => {
        const comment = wrapText(oneLine(summary), WIDTH_MAX, 2, "# ").map((line) => line.replace(/^ {2}/, "# "));
        const text = `${comment.join("\n")}\n${stringify(rules)}`;
        return session.keep(id, text, printed, (file) => ({ rules: [...listOf(flags.rules), file] }));
      },
      onRun: (run, done, total) => progress.show((style) => renderRun(run, style), done, total),
    };
    const plan = await planExploration(runOnce, settings);
    if (options.list) {
      printPlan(plan, options);
      return EXIT.ok;
    }
    progress.begin(plan.baseline, pluralize(plan.faults.length, "fault"));
    const report = await exploreFaults(runOnce, plan, settings);
    progress.end();
    printReport(report, options, { pretty: renderPretty, md: renderMarkdown, junit: renderJunit, sum: renderSum });
    if (plan.faults.length === 0) {
      printDiagnostic("sandbox: inconclusive: Nothing was tried: --only and --skip leave no fault.");
      return EXIT.inconclusive;
    }
    return options.failOn.some((verdict) => report.counts[verdict] > 0) ? EXIT.gate : EXIT.ok;
  });
}

function listOf(files: StartFlags["rules"]): readonly string[] {
  return typeof files === "object" ? files : [];
}

type ParsedExplore = ReturnType<typeof parseExploreFlags>;

function parseExploreFlags(words: readonly string[], flags: ExploreFlags) {
  const { depth, failOn = ["unsafe", "lost"] } = flags;
  return {
    ...parseExperimentFlags("explore", words, flags, FOLDER),
    depth: depth === undefined ? 1 : depths[parseChoice("--depth", depth, ["1", "2"])],
    failOn: parseChoices("--fail-on", failOn, bugVerdicts),
  };
}

const depths = { "1": 1, "2": 2 } as const;

function printPlan({ faults, equivalent }: ExplorePlan, { reporter }: ParsedExplore): void {
  if (reporter === "json") return printJson(faults.map(({ id, fault, point }) => ({ id, point, fault })));
  printData(alignColumns(faults.map(({ id, fault, point }) => [id, fault, point.name, point.about])).join("\n"));
  if (equivalent > 0) printDiagnostic(`${equivalent} more would do the same as one of them`);
}
