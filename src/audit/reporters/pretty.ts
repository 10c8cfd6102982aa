import type { Style } from "../../kernel/messages/report.js";
import { languageNames, snippetLanguages, snippets } from "../checks/snippets.js";
import type { SnippetName } from "../wire/check.js";
import { type Reporter, renderDetails, wrapText } from "./details.js";
import { type AuditReport, type CheckResult, isBroken } from "./report.js";
import { GAP, marks, paintOf, renderTable } from "./table.js";

/** A table of all checks, the details of those that failed, the code that fixes them, and the sum. */
export const renderPretty: Reporter = (report, style) => {
  const broken = report.checks.filter(isBroken);
  const names = new Set(broken.flatMap(({ snippet }) => snippet ?? []));
  const blocks = [
    ...renderAdvice(report, style),
    renderTable(report, style),
    ...broken.map((check) => renderBroken(check, style)),
    ...[...names].map((name) => renderSnippet(name, style)),
    [renderSum(report, style)],
  ];
  return blocks.map((lines) => `${lines.join("\n")}\n`).join("\n");
};

/** First, since most other checks depend on it. */
function renderAdvice({ receiver, accepted, advice }: AuditReport, style: Style): string[][] {
  if (accepted) return [];
  const items = advice.flatMap((item, index) => wrapText(`${item}.`, style.width, 5, `  ${index + 1}. `));
  const intro = `${receiver} does not accept an ordinary event with the right signature. Look at, in this order:`;
  return [[...wrapText(intro, style.width).map(style.bad), ...items]];
}

function renderBroken(check: CheckResult, style: Style): string[] {
  const heading = `${marks[check.verdict]} ${check.id} (${check.severity})`;
  const details = renderDetails(check, { ...style, width: style.width - GAP.length });
  return [paintOf(check.verdict, style)(heading), ...details.map((line) => GAP + line)];
}

function renderSnippet(name: SnippetName, style: Style): string[] {
  const { title, code } = snippets[name];
  return snippetLanguages.flatMap((language, index) => [
    ...(index === 0 ? [] : [""]),
    style.strong(`${title}, in ${languageNames[language]}:`),
    "",
    ...code[language].split("\n").map((line) => (line === "" ? "" : GAP + line)),
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
