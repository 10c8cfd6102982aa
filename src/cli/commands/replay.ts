import { writeFile } from "node:fs/promises";
import { createApp } from "../../http/server/app.js";
import { createInProcessFetch } from "../../http/server/in-process-fetch.js";
import { UsageError } from "../../kernel/problem.js";
import { plainStyle } from "../../kernel/report.js";
import { systemClock } from "../../kernel/system-clock.js";
import { resolveOptions } from "../../sandbox/config/options.js";
import { Sandbox } from "../../sandbox/sandbox.js";
import { assertReachable, createRemoteTarget } from "../../scenarios/run/remote-target.js";
import { type ReplaySummary, type ScenarioResult, replay as replayAll } from "../../scenarios/run/replay.js";
import { renderResult, renderSummary } from "../../scenarios/pretty.js";
import { renderGithub, renderJson, renderJunit, renderTap, type Reporter } from "../../scenarios/reporters.js";
import type { Scenario } from "../../scenarios/file/scenario.js";
import { createSandboxTarget } from "../../scenarios/run/sandbox-target.js";
import type { Target } from "../../scenarios/run/world.js";
import { EXIT } from "../exit-codes.js";
import { failedGates } from "../gates.js";
import { styleFor, printData, printDiagnostic } from "../output.js";
import { type ReplayFlags, type ReplayOptions, type ReporterName, parseReplayFlags } from "../replay-options.js";
import { loadScenarioFiles } from "../scenario-files.js";
import { openVariables } from "../values.js";

/** `sandbox replay`: plays scenario files and reports. Returns the exit code. */
export async function replay(paths: readonly string[], flags: ReplayFlags): Promise<number> {
  const options = parseReplayFlags(flags, process.env);
  const selected = select(await loadScenarioFiles(paths), options);
  if (selected.length === 0)
    throw new UsageError("file", "Failed to replay: no scenario matches. Look at the paths, --filter and --tag.");
  const scenarios = shardOf(selected, options);
  const target = await openTarget(options);
  try {
    const progress = options.reporter === "pretty" ? createProgress(scenarios.length, options) : undefined;
    const { workers, bail, seed } = options;
    const settings = { workers, bail, seed, system: systemClock, env: openVariables(process.env) };
    const summary = await replayAll(target.target, scenarios, {
      ...settings,
      ...(progress === undefined ? {} : { onResult: progress.tell }),
    });
    await report(summary, options, progress);
    if (summary.counts.failed + summary.counts.error > 0) return EXIT.assertion;
    const findings = summary.results.reduce((sum, { seen }) => sum + seen.findings.length, 0);
    const failed = failedGates(options.gates, findings, undefined);
    for (const line of failed) printDiagnostic(`sandbox: ${line}`);
    return failed.length > 0 ? EXIT.gate : EXIT.ok;
  } finally {
    await target.close();
  }
}

function select(scenarios: readonly Scenario[], { filter, tags }: ReplayOptions): Scenario[] {
  return scenarios
    .filter(({ name, file }) => filter === undefined || filter.test(name) || filter.test(file))
    .filter((scenario) => tags.length === 0 || scenario.tags.some((tag) => tags.includes(tag)));
}

/** Of few scenarios a shard may have none: that is no mistake. */
function shardOf(scenarios: readonly Scenario[], { shard }: ReplayOptions): readonly Scenario[] {
  return shard === undefined ? scenarios : scenarios.filter((_, index) => index % shard.count === shard.index - 1);
}

async function openTarget(options: ReplayOptions): Promise<{ target: Target; close(): Promise<void> }> {
  if (options.remote !== undefined) {
    await assertReachable(options.remote);
    const target = createRemoteTarget({ ...options.remote, system: systemClock });
    return { target, close: () => target.close() };
  }
  const sandbox = new Sandbox(resolveOptions({ seed: options.seed }));
  const app = createApp(sandbox);
  const target = createSandboxTarget(
    sandbox,
    createInProcessFetch(() => app),
  );
  return {
    target,
    close: async () => {
      await target.close();
      await sandbox.close();
    },
  };
}

const reporters: Readonly<Record<Exclude<ReporterName, "pretty">, Reporter>> = {
  junit: renderJunit,
  json: renderJson,
  tap: renderTap,
  github: renderGithub,
};

async function report(summary: ReplaySummary, options: ReplayOptions, progress: Progress | undefined): Promise<void> {
  const text =
    options.reporter === "pretty"
      ? summary.results.map((result) => renderResult(result, plainStyle)).join("") + renderSummary(summary, plainStyle)
      : reporters[options.reporter](summary);
  if (options.out !== undefined) {
    await writeReport(options.out, text);
  } else if (progress === undefined && text !== "") {
    printData(text);
  }
  progress?.end(summary);
  // Whatever form the report has, a person who watches sees what became of it.
  if (progress === undefined) printDiagnostic(renderSummary(summary, plainStyle).trim());
  if (options.annotates && options.reporter !== "github") printData(renderGithub(summary));
}

async function writeReport(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError("cannot-run", `Failed to write the report to ${file}: ${why}.`);
  });
}

interface Progress {
  readonly tell: (result: ScenarioResult) => void;
  readonly end: (summary: ReplaySummary) => void;
}

/** Each result as it comes, and on a terminal a line that counts while others run. */
function createProgress(total: number, { out }: ReplayOptions): Progress {
  const stream = out === undefined ? process.stdout : process.stderr;
  const style = styleFor(stream);
  const counts = stream.isTTY && (process.env["CI"] ?? "") === "";
  let done = 0;
  const clear = counts ? "\r\u001B[K" : "";
  return {
    tell(result) {
      done++;
      stream.write(clear + renderResult(result, style));
      if (counts && done < total) stream.write(style.faint(`  ${done} of ${total}`));
    },
    end: (summary) => void stream.write(clear + renderSummary(summary, style)),
  };
}
