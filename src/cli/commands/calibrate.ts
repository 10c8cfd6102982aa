import { readHar } from "../../adapters/har/read-har.js";
import { calibrate } from "../../calibration/infer/calibrate.js";
import { renderProfile } from "../../calibration/report/render-profile.js";
import { NOTHING_COMPARED, calibrationGates, failsOn } from "../../calibration/report/report.js";
import { renderJunit, renderMarkdown, renderPretty, renderSum } from "../../calibration/report/reporters.js";
import { assertSettings } from "../../domain/profile/alternatives.js";
import { fetchTo } from "../../http/server/app.js";
import { redactErrors, UsageError } from "../../kernel/messages/problem.js";
import { loadProfileFile } from "../../sandbox/config/load-files.js";
import { nextStopSignal } from "../run/stop.js";
import { parseRemote, redactorOf } from "../shared/remote.js";
import { printPlan, probe } from "../shared/probe-target.js";
import { EXIT, type Verb, addClosing } from "../shared/help.js";
import {
  isSameFile,
  prepareOutput,
  printDiagnostic,
  printReport,
  reporterNames,
  writeOutput,
} from "../shared/output.js";
import { parseChoice, parseChoices, splitNames } from "../shared/values.js";

export const verb: Verb = (command, exitWith) => {
  command
    .description(
      "Reads recorded traffic of the real service, finds the settings that explain it,\nand lists what no setting explains: drift.",
    )
    .argument("[file...]", "HTTP archives (HAR 1.2), each the traffic of one company")
    .option("--target <url>", "instead of reading files, ask this deployment with probes")
    .option("--token <token>", "its access token (default: SANDBOX_ACCESS_TOKEN)")
    .option("--company <id>", "its company id (default: SANDBOX_COMPANY_ID)")
    .option("--dry-run", "only say which probes would run, and what they would create")
    .option("--secret <key>", "verify signatures of webhooks that were not redacted")
    .option("--profile <file>", "begin with these settings (default: the defaults)")
    .option("--out <file>", "write a profile, with the evidence for each setting")
    .option("--only <setting...>", "only these settings, or groups of them; probes that\nmove money run only for these")
    .option("--skip <setting...>", "all but these")
    .option(
      "--fail-on <what...>",
      "set (a setting is not as in --profile), drift,\ncontradicted: exit with 5 if there is any",
    )
    .option("--reporter <form>", "pretty, json, junit or md (default: pretty)")
    .action(async (files: readonly string[], flags: CalibrateFlags) => exitWith(await run(files, flags)));
  addClosing(
    command,
    `Examples:
  sandbox calibrate traffic.har
  sandbox calibrate traffic.har --out profile.yaml
  sandbox calibrate traffic.har --profile profile.yaml --fail-on set,drift
  sandbox calibrate --target https://staging.example --dry-run`,
  );
};

interface CalibrateFlags {
  readonly target?: string;
  readonly token?: string;
  readonly company?: string;
  readonly dryRun?: true;
  readonly secret?: string;
  readonly profile?: string;
  readonly out?: string;
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly failOn?: readonly string[];
  readonly reporter?: string;
}

async function run(files: readonly string[], flags: CalibrateFlags): Promise<number> {
  const [only, skip] = [splitNames(flags.only), splitNames(flags.skip)];
  assertSettings({ only, skip });
  const failOn = parseChoices("--fail-on", flags.failOn ?? [], calibrationGates);
  const reporter = flags.reporter === undefined ? "pretty" : parseChoice("--reporter", flags.reporter, reporterNames);
  const profile = flags.profile === undefined ? {} : await loadProfileFile(flags.profile);
  for (const file of files) {
    if (flags.out !== undefined && (await isSameFile(flags.out, file)))
      throw new UsageError("command-line", `--out would replace the archive ${file}. Name another file.`);
  }
  if (flags.out !== undefined) await prepareOutput("the profile", flags.out);
  const target = parseTarget(files, flags);
  const probing = target && { target, selection: { only, skip }, profile, fetchTo };
  if (probing !== undefined && flags.dryRun === true) {
    await printPlan(probing);
    return EXIT.ok;
  }
  const asked = probing && (await redactErrors(redactorOf(target).text, async () => probe(probing, stopProbes)));
  const report = await calibrate(asked === undefined ? files.map(readHar) : [asked.recorded], {
    profile,
    only,
    skip,
    secretKey: flags.secret,
    source: target === undefined ? { files } : { target: target.url },
    fetchTo,
  });
  if (target === undefined && report.source.exchanges + report.source.webhooks === 0) {
    throw new UsageError("file", `There is no request to the API (/v1/…) and no webhook in ${files.join(", ")}.`);
  }
  if (flags.out !== undefined) await writeOutput("the profile", flags.out, renderProfile(report, profile));
  printReport(
    report,
    { reporter, failOn },
    { pretty: renderPretty, md: renderMarkdown, junit: renderJunit, sum: renderSum },
  );
  if (report.source.compared === 0) {
    printDiagnostic(`sandbox: inconclusive: ${NOTHING_COMPARED}`);
    return EXIT.inconclusive;
  }
  if (failOn.some((gate) => failsOn(report, gate))) return EXIT.gate;
  if (asked?.missing === undefined) return EXIT.ok;
  printDiagnostic(`sandbox: inconclusive: ${asked.missing}.`);
  return EXIT.inconclusive;
}

/** Aborted at the first signal from now on: it ends the probes, but the report is still made. A second signal ends the process. */
function stopProbes(): AbortSignal {
  const stopped = new AbortController();
  void nextStopSignal().then(() => stopped.abort(new Error("stopped")));
  return stopped.signal;
}

function parseTarget(files: readonly string[], { target, token, company, dryRun, secret }: CalibrateFlags) {
  const refuse = (why: string): never => {
    throw new UsageError("command-line", why);
  };
  if (target === undefined) {
    const stray = Object.entries({ token, company, "dry-run": dryRun }).find(([, value]) => value !== undefined);
    if (stray !== undefined) return refuse(`--${stray[0]} goes with --target.`);
    return files.length > 0 ? undefined : refuse("Name HTTP archives, or a deployment to ask with --target.");
  }
  if (files.length > 0) return refuse("Give files or --target, not both.");
  return parseRemote(target, { token, company, secret });
}
