import { dirname } from "node:path";
import { oneLine } from "../../kernel/printable.js";
import { escapeXml } from "../../kernel/xml.js";
import { renderFailure } from "../run/failure.js";
import type { ScenarioResult } from "../run/replay.js";
import type { Reporter } from "./reporter.js";

/** JUnit XML: a suite for each folder of files, a case for each story, failures and errors told apart. */
export const renderJunit: Reporter = ({ results, counts, durationMs }) => {
  const suites = groupByFolder(results);
  const totals = `tests="${results.length}" failures="${counts.failed}" errors="${counts.error}" skipped="${counts.skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="business-payments-sandbox" ${totals} time="${seconds(durationMs)}">`,
    ...[...suites].flatMap(([folder, cases]) => renderSuite(folder, cases)),
    "</testsuites>",
    "",
  ].join("\n");
};

function groupByFolder(results: readonly ScenarioResult[]): Map<string, ScenarioResult[]> {
  const suites = new Map<string, ScenarioResult[]>();
  for (const result of results) {
    const folder = dirname(result.scenario.file);
    suites.set(folder, [...(suites.get(folder) ?? []), result]);
  }
  return suites;
}

function renderSuite(folder: string, cases: readonly ScenarioResult[]): string[] {
  const count = (outcome: ScenarioResult["outcome"]): number =>
    cases.filter((result) => result.outcome === outcome).length;
  const time = cases.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const totals = `tests="${cases.length}" failures="${count("failed")}" errors="${count("error")}" skipped="${count("skipped")}"`;
  return [
    `  <testsuite name="${escapeXml(folder)}" ${totals} time="${seconds(time)}">`,
    ...cases.flatMap(renderCase),
    "  </testsuite>",
  ];
}

function renderCase({ scenario, outcome, reason, failure, durationMs }: ScenarioResult): string[] {
  const attributes = `name="${escapeXml(oneLine(scenario.name))}" classname="${escapeXml(scenario.file)}" file="${escapeXml(scenario.file)}" time="${seconds(durationMs)}"`;
  if (outcome === "skipped") {
    return [`    <testcase ${attributes}>`, `      <skipped message="${escapeXml(reason ?? "")}"/>`, "    </testcase>"];
  }
  if (failure === undefined) return [`    <testcase ${attributes}/>`];
  const tag = failure.kind;
  return [
    `    <testcase ${attributes}>`,
    `      <${tag} message="${escapeXml(oneLine(failure.message))}" type="${escapeXml(oneLine(failure.step))}">${escapeXml(renderFailure(failure))}</${tag}>`,
    "    </testcase>",
  ];
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
