import { dirname } from "node:path";
import { stringify } from "yaml";
import { oneLine } from "../kernel/messages/text.js";
import { type JunitCase, type JunitResult, renderJunit as renderJunitXml } from "../kernel/messages/report.js";
import { type Failure, renderFailure } from "./run/failure.js";
import type { ReplaySummary, ScenarioResult } from "./run/replay.js";

/** Renders the report of a whole replay as one text. */
export type Reporter = (summary: ReplaySummary) => string;

/** One JSON object: the counts, and the outcome of each scenario with all details of its failure. */
export const renderJson: Reporter = ({ results, counts, durationMs, seed, notRun }) => {
  const report = {
    ...counts,
    notRun,
    durationMs: Math.round(durationMs),
    seed: seed ?? null,
    scenarios: results.map(({ scenario, outcome, reason, failure, durationMs: ms, stepsPassed, seen }) => ({
      name: scenario.name,
      file: scenario.file,
      tags: scenario.tags,
      outcome,
      durationMs: Math.round(ms),
      stepsPassed,
      ...(reason === undefined ? {} : { reason }),
      ...(failure === undefined ? {} : { failure: withoutHeaders(failure) }),
      findings: seen.findings,
      rulesNeverFired: seen.rulesNeverFired,
    })),
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
};

/** Without the headers of webhooks: they contain the port, which changes from run to run. */
function withoutHeaders({ received, ...failure }: Failure) {
  if (received === undefined) return failure;
  return { ...failure, received: received.map(({ headers: _, ...webhook }) => webhook) };
}

/** JUnit XML: a suite for each folder of files, a case for each scenario. */
export const renderJunit: Reporter = ({ results, durationMs }) => {
  const suites = new Map<string, JunitCase[]>();
  for (const result of results) {
    const folder = dirname(result.scenario.file);
    suites.set(folder, [...(suites.get(folder) ?? []), junitCase(result)]);
  }
  const named = [...suites].map(([name, cases]) => ({ name, cases }));
  return renderJunitXml("business-payments-sandbox", durationMs, named);
};

function junitCase(result: ScenarioResult): JunitCase {
  const { name, file } = result.scenario;
  const common = { name: oneLine(name), className: file, file, durationMs: result.durationMs };
  return { ...common, result: junitResult(result) };
}

function junitResult({ outcome, reason = "", failure }: ScenarioResult): JunitResult | undefined {
  if (outcome === "skipped") return { tag: "skipped", message: reason };
  if (failure === undefined) return undefined;
  const { kind, message, step } = failure;
  return { tag: kind, message: oneLine(message), type: oneLine(step), text: renderFailure(failure) };
}

/** TAP version 14: a line for each scenario, a YAML block for each failure. */
export const renderTap: Reporter = ({ results }) => {
  const lines = results.flatMap(({ scenario, outcome, reason, failure }, index) => {
    const ok = outcome === "passed" || outcome === "skipped" ? "ok" : "not ok";
    const directive = outcome === "skipped" ? ` # SKIP ${escapeTap(reason ?? "")}` : "";
    const head = `${ok} ${index + 1} - ${escapeTap(scenario.name)}${directive}`;
    if (failure === undefined) return [head];
    const block = stringify({ severity: failure.kind, at: failure.position, message: renderFailure(failure) });
    return [head, "  ---", block.trimEnd().replaceAll(/^/gm, "  "), "  ..."];
  });
  return ["TAP version 14", `1..${results.length}`, ...lines, ""].join("\n");
};

/** A # would begin a directive. */
function escapeTap(text: string): string {
  return oneLine(text).replaceAll(/[\\#]/g, String.raw`\$&`);
}

/** GitHub workflow commands: each failure becomes an annotation at its line. */
export const renderGithub: Reporter = ({ results }) =>
  results
    .flatMap(({ scenario, outcome, reason = "", failure }) => {
      const name = oneLine(scenario.name);
      if (outcome === "skipped")
        return [githubCommand("notice", { file: scenario.file, title: "Skipped" }, `${name}: ${reason}`)];
      if (failure === undefined) return [];
      const { file, line, column } = failure.position;
      return [githubCommand("error", { file, line, col: column, title: name }, renderFailure(failure))];
    })
    .join("");

function githubCommand(command: string, values: Readonly<Record<string, string | number>>, text: string): string {
  const properties = Object.entries(values)
    .map(([name, value]) => `${name}=${escapeGithub(String(value)).replaceAll(":", "%3A").replaceAll(",", "%2C")}`)
    .join(",");
  return `::${command} ${properties}::${escapeGithub(text)}\n`;
}

function escapeGithub(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
