import { dirname } from "node:path";
import { stringify } from "yaml";
import { groupBy } from "../kernel/collections.js";
import { oneLine, printable } from "../kernel/messages/text.js";
import {
  type JunitCase,
  type JunitResult,
  type Style,
  renderJunit as renderJunitXml,
} from "../kernel/messages/report.js";
import { renderAllowed, renderFinding } from "../sandbox/findings/finding.js";
import { type Failure, renderFailure } from "./run/failure.js";
import type { ReplaySummary, ScenarioResult } from "./run/replay.js";

/** Renders the report of a complete replay as one text. */
export type Reporter = (summary: ReplaySummary) => string;

/** One JSON object: the counts, and the outcome of each scenario with all details of its failure. */
export const renderJson: Reporter = ({ results, counts, durationMs, seed, notRun, allowNeverMatched }) => {
  const report = {
    ...counts,
    notRun,
    durationMs: Math.round(durationMs),
    seed: seed ?? null,
    allowNeverMatched,
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
      allowed: seen.allowed,
      rulesNeverFired: seen.rulesNeverFired,
    })),
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
};

/** Leaves out the headers of webhooks: they contain the port, which differs between runs. */
function withoutHeaders({ received, ...failure }: Failure) {
  if (received === undefined) return failure;
  return { ...failure, received: received.map(({ headers: _, ...webhook }) => webhook) };
}

/** JUnit XML: a suite for each folder of files, a case for each scenario. */
export const renderJunit: Reporter = ({ results, durationMs }) => {
  const folders = groupBy(results, ({ scenario }) => dirname(scenario.file));
  const named = [...folders].map(([name, group]) => ({ name, cases: group.map(junitCase) }));
  return renderJunitXml("business-payments-sandbox", durationMs, named);
};

function junitCase(result: ScenarioResult): JunitCase {
  const { scenario, durationMs } = result;
  const { name, file } = scenario;
  return { name: oneLine(name), className: file, durationMs, result: junitResult(result) };
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

/** A # would begin a directive of TAP. */
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

/** Renders problems of files, each `file:line:column: message`, as annotations. */
export function renderGithubProblems(problems: readonly string[]): string {
  return problems
    .map((problem) => {
      const [, file = "", line = 1, col = 1, text = problem] = /^(.*?):(\d+):(\d+): ([^]*)$/.exec(problem) ?? [];
      return githubCommand("error", file === "" ? {} : { file, line, col }, text);
    })
    .join("");
}

function githubCommand(command: string, values: Readonly<Record<string, string | number>>, text: string): string {
  const properties = Object.entries(values)
    .map(([name, value]) => `${name}=${escapeGithub(String(value)).replaceAll(":", "%3A").replaceAll(",", "%2C")}`)
    .join(",");
  return `::${command} ${properties}::${escapeGithub(text)}\n`;
}

function escapeGithub(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** One line for a scenario that passed or was skipped, and all details for one that failed. */
export function renderResult(
  { scenario, outcome, reason, failure, durationMs, seen }: ScenarioResult,
  style: Style,
): string {
  const name = oneLine(scenario.name);
  const time = style.faint(`${Math.round(durationMs)} ms`);
  const notes = renderSeen(seen, style);
  if (outcome === "passed") return `${style.good("✓")} ${name} ${time}\n${notes}`;
  if (outcome === "skipped") return `${style.faint("-")} ${name} ${style.faint(`skipped: ${oneLine(reason ?? "")}`)}\n`;
  const details = failure === undefined ? "" : indent(renderFailure(failure, style));
  return `${style.bad("✗")} ${style.strong(name)} ${time}\n${details}\n${notes}`;
}

/** Lists findings, and rules that never fired. */
function renderSeen({ findings, allowed, rulesNeverFired }: ScenarioResult["seen"], { faint }: Style): string {
  const notes = [
    ...findings.map((finding) => renderFinding(finding)),
    ...allowed.map((finding) => renderAllowed(finding)),
    ...rulesNeverFired.map((rule) => `the rule ${rule} never fired`),
  ];
  return notes.map((note) => `${faint(indent(printable(note)))}\n`).join("");
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "    ");
}

/** `3 passed, 1 failed in 0.4 s`, and the seed that repeats the run. */
export function renderSummary(
  { counts, notRun, durationMs, seed, allowNeverMatched }: ReplaySummary,
  style: Style,
): string {
  const { passed, failed, error, skipped } = counts;
  const parts = [
    passed > 0 || failed + error + skipped === 0 ? style.good(`${passed} passed`) : "",
    failed > 0 ? style.bad(`${failed} failed`) : "",
    error > 0 ? style.bad(`${error} could not be run to the end`) : "",
    skipped > 0 ? `${skipped} skipped` : "",
    notRun > 0 ? `${notRun} not run (--bail)` : "",
  ].filter((part) => part !== "");
  const again = seed === undefined ? "" : style.faint(` (seed ${seed})`);
  const warnings = allowNeverMatched.map((entry) => `warning: allowed, but never found: ${entry}\n`).join("");
  return `\n${parts.join(", ")} in ${(durationMs / 1000).toFixed(2)} s${again}\n${warnings}`;
}
