import { stringify } from "yaml";
import { mergeOverrides } from "../../domain/profile/overrides.js";
import { renderJunit, renderMarkdown, renderPretty, renderRow, renderSum } from "../../experiments/vary/reporters.js";
import { readSource } from "../../adapters/files/source.js";
import { type CalibrationReport, hasStandIn } from "../../calibration/report/report.js";
import { settingsReport } from "../../calibration/report/report-schema.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { type VaryOptions, type VaryPlan, planVariations, vary as varySettings } from "../../experiments/vary/vary.js";
import { type ExperimentFlags, addExperimentOptions, parseExperimentFlags } from "../run/experiment-options.js";
import { inSession } from "../run/experiment-session.js";
import { EXIT, type Verb, addClosing } from "../shared/help.js";
import { alignColumns, printData, printDiagnostic, printJson, printReport } from "../shared/output.js";
import { parseChoices } from "../shared/values.js";
import { pluralize } from "../../kernel/messages/text.js";

const FOLDER = "reports/vary";

export const verb: Verb = (command, exitWith) => {
  command
    .description(
      "Runs a command again and again, each time with another choice for\none open point of the contract, and reports which choices it depends on and what\nto ask the provider.",
    )
    .usage("[options] -- <command> [arg...]")
    .argument("[command...]", "what to run, with its arguments, after --")
    .option(
      "--calibration <file>",
      "do not vary what this JSON report of calibrate\nhas found; its profile goes to --profile",
    )
    .option("--pairs", "also two settings at a time, of those that make no\ndifference alone")
    .option("--fail-on <verdict...>", "depends: exit with 5 if the command depends on any");
  addExperimentOptions(command, "settings, or groups of them", FOLDER).action(
    async (words: readonly string[], flags: VaryFlags) => exitWith(await vary(words, flags)),
  );
  addClosing(
    command,
    "The command gets the same variables as with exec. It must pass with the settings\nas they are. Exits with 6 if it does not, never calls the sandbox, or reads none\nof the chosen settings.",
    `Examples:
  sandbox vary -- npm test
  sandbox vary --list -- npm test
  sandbox vary --only transfers webhooks.retry -- npm test
  sandbox vary --reporter md -- npm test > questions.md
  sandbox vary --calibration report.json --profile profile.yaml -- npm test`,
  );
};

interface VaryFlags extends ExperimentFlags {
  readonly calibration?: string;
  readonly pairs?: true;
  readonly failOn?: readonly string[];
}

async function vary(words: readonly string[], flags: VaryFlags): Promise<number> {
  const options = parseVaryFlags(words, flags);
  const known = flags.calibration === undefined ? undefined : await loadKnown(flags.calibration);
  return inSession("vary", options, flags, async (session) => {
    const { run: runOnce, progress, profile: base } = session;
    const settings: VaryOptions = {
      ...session.settings,
      pairs: options.pairs,
      known,
      keep: async (id, profile, printed) =>
        session.keep(id, stringify(mergeOverrides(base, profile)), printed, (file) => ({ profile: file })),
      onRun: (row, done, total) => progress.show((style) => renderRow(row, style), done, total),
    };
    const plan = await planVariations(runOnce, settings);
    if (options.list) {
      printPlan(plan, options);
      return EXIT.ok;
    }
    progress.begin(plan.baseline, pluralize(plan.variations.length, "alternative"));
    const report = await varySettings(runOnce, plan, settings);
    progress.end();
    printReport(report, options, { pretty: renderPretty, md: renderMarkdown, junit: renderJunit, sum: renderSum });
    const { depends, independent } = report.counts;
    if (depends + independent + plan.known.length === 0) {
      const why =
        plan.variations.length === 0
          ? "the command reads none of the settings that were asked for"
          : "no run was judged";
      printDiagnostic(`sandbox: inconclusive: Nothing was varied: ${why}.`);
      return EXIT.inconclusive;
    }
    return options.failOn.some((verdict) => report.counts[verdict] > 0) ? EXIT.gate : EXIT.ok;
  });
}

/** The settings that a report of calibrate has found, without those of which only an example is known. Throws UsageError("file") for any other file. */
async function loadKnown(file: string): Promise<CalibrationReport["settings"]> {
  const { value } = await readSource(file);
  const parsed = settingsReport.safeParse(value);
  if (!parsed.success) {
    throw new UsageError("file", `${file} is not a report that calibrate wrote with --reporter json.`);
  }
  return parsed.data.settings.filter(
    ({ path, state }) => (state === "set" || state === "confirmed") && !hasStandIn(parsed.data, path),
  );
}

type ParsedVary = ReturnType<typeof parseVaryFlags>;

function parseVaryFlags(words: readonly string[], flags: VaryFlags) {
  const { pairs = false, failOn = [] } = flags;
  return {
    ...parseExperimentFlags("vary", words, flags, FOLDER),
    pairs,
    failOn: parseChoices("--fail-on", failOn, ["depends"]),
  };
}

function printPlan({ variations }: VaryPlan, { reporter }: ParsedVary): void {
  const rows = variations.flatMap(({ id, alternatives }) =>
    alternatives.map(({ setting, before, after }) => ({ id, path: setting.path, default: before, alternative: after })),
  );
  if (reporter === "json") return printJson(rows);
  const cells = rows.map((row) => [
    row.id,
    row.path,
    JSON.stringify(row.alternative),
    `not ${JSON.stringify(row.default)}`,
  ]);
  printData(alignColumns(cells).join("\n"));
}
