import type { AuditReport, CheckResult } from "./report.js";
import { type SnippetName, languageNames, snippetLanguages, snippets } from "../checks/snippets.js";
import { type Reporter, type Style, renderDetails, wrapText } from "./details.js";
import { GAP, marks, paintOf, renderTable } from "./table.js";

/** A table of all checks, everything about those that failed, the code that mends them, and the sum. */
export const renderPretty: Reporter = (report, style) => {
  const broken = report.checks.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
  const blocks = [
    ...renderAdvice(report, style),
    renderTable(report, style),
    ...broken.map((check) => renderBroken(check, style)),
    ...snippetsOf(broken).map((name) => renderSnippet(name, style)),
    [renderSum(report, style)],
  ];
  return blocks.map((lines) => `${lines.join("\n")}\n`).join("\n");
};

/** Everything else rests on it, so it is said first. */
function renderAdvice({ receiver, accepted, advice }: AuditReport, style: Style): string[][] {
  if (accepted) return [];
  const items = advice.flatMap((item, index) => {
    const [first = "", ...rest] = wrapText(`${item}.`, style.width - INDENT);
    return [`${`  ${index + 1}.`.padEnd(INDENT)}${first}`, ...rest.map((line) => " ".repeat(INDENT) + line)];
  });
  const intro = `${receiver} does not accept an ordinary event with the right signature. Look at, in this order:`;
  return [[...wrapText(intro, style.width).map(style.bad), ...items]];
}

const INDENT = 5;

function renderBroken(check: CheckResult, style: Style): string[] {
  const heading = `${marks[check.verdict]} ${check.id} (${check.severity})`;
  const details = renderDetails(check, { ...style, width: style.width - GAP.length });
  return [paintOf(check.verdict, style)(heading), ...details.map((line) => `  ${line}`)];
}

function snippetsOf(broken: readonly CheckResult[]): SnippetName[] {
  return [...new Set(broken.flatMap(({ snippet }) => snippet ?? []))];
}

function renderSnippet(name: SnippetName, style: Style): string[] {
  const { title, code } = snippets[name];
  return snippetLanguages.flatMap((language, index) => [
    ...(index === 0 ? [] : [""]),
    style.strong(`${title}, in ${languageNames[language]}:`),
    "",
    ...code[language].split("\n").map((line) => (line === "" ? "" : `  ${line}`)),
  ]);
}

/** `2 failed (1 critical), 1 warning, 29 passed, 2 skipped: 68 requests in 0.42 s` */
export function renderSum({ checks, counts, requests, durationMs }: AuditReport, style: Style): string {
  const critical = checks.filter(({ verdict, severity }) => verdict === "fail" && severity === "critical").length;
  const parts = [
    counts.fail === 0 ? "" : style.bad(`${counts.fail} failed${critical === 0 ? "" : ` (${critical} critical)`}`),
    counts.warn === 0 ? "" : style.warning(`${counts.warn} warning${counts.warn === 1 ? "" : "s"}`),
    counts.pass === 0 ? "" : style.good(`${counts.pass} passed`),
    counts.skipped === 0 ? "" : `${counts.skipped} skipped`,
  ].filter((part) => part !== "");
  const cost = style.faint(`${requests} request${requests === 1 ? "" : "s"} in ${(durationMs / 1000).toFixed(2)} s`);
  return `${parts.join(", ")}: ${cost}`;
}
