import { snippets } from "../checks/snippets.js";
import { type Reporter, renderDetails } from "./details.js";
import { oneLine, printable } from "../../kernel/printable.js";
import { escapeXml } from "../../kernel/xml.js";
import { checkGroups } from "../wire/check.js";
import type { AuditReport, CheckResult } from "./report.js";

/** JUnit XML: a suite for each group of checks, a case for each check. What is only a warning is no failure, but told. */
export const renderJunit: Reporter = (report, style) => {
  const { checks, counts, durationMs } = report;
  const totals = `tests="${checks.length}" failures="${counts.fail}" errors="0" skipped="${counts.skipped}"`;
  const suites = checkGroups.map((group) => checks.filter((check) => check.group === group));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="sandbox audit" ${totals} time="${seconds(durationMs)}">`,
    ...suites.flatMap((suite) => renderSuite(report, suite, (check) => renderDetails(check, style).join("\n"))),
    "</testsuites>",
    "",
  ].join("\n");
};

function renderSuite(
  { receiver }: AuditReport,
  checks: readonly CheckResult[],
  details: (check: CheckResult) => string,
): string[] {
  const [first] = checks;
  if (first === undefined) return [];
  const count = (verdict: CheckResult["verdict"]): number => checks.filter((check) => check.verdict === verdict).length;
  const totals = `tests="${checks.length}" failures="${count("fail")}" errors="0" skipped="${count("skipped")}"`;
  return [
    `  <testsuite name="${escapeXml(`audit ${first.group} ${receiver}`)}" ${totals}>`,
    ...checks.flatMap((check) => renderCase(check, details)),
    "  </testsuite>",
  ];
}

function renderCase(check: CheckResult, details: (check: CheckResult) => string): string[] {
  const { id, title, verdict, severity, received } = check;
  const seen = escapeXml(oneLine(check.seen ?? ""));
  const time = seconds(received?.latencyMs ?? 0);
  const open = `    <testcase name="${escapeXml(`${id}: ${title}`)}" classname="audit.${check.group}" time="${time}"`;
  const text = (): string => escapeXml(printable(details(check)));
  if (verdict === "pass") return [`${open}/>`];
  const inside = {
    skipped: () => `<skipped message="${seen}"/>`,
    fail: () => `<failure message="${seen}" type="${severity}">${text()}</failure>`,
    warn: () => `<system-out>${text()}</system-out>`,
  }[verdict];
  return [`${open}>`, `      ${inside()}`, "    </testcase>"];
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** The report as one JSON object; a check that failed carries the code that mends it, by language. */
export const renderJson: Reporter = (report) => {
  const checks = report.checks.map(({ snippet, ...check }) => {
    const isBroken = check.verdict === "fail" || check.verdict === "warn";
    return { ...check, snippets: isBroken && snippet !== null ? snippets[snippet].code : null };
  });
  return `${JSON.stringify({ ...report, checks }, undefined, 2)}\n`;
};
