import { type JunitResult, type Style, renderJunit as renderJunitXml } from "../../kernel/messages/report.js";
import { oneLine, wrapText, pluralize } from "../../kernel/messages/text.js";
import type { Json } from "../../kernel/messages/json.js";
import type { OtherAnswer, Question, VariedSetting, VaryReport } from "./report.js";

/** What the command depends on, then the questions for the provider. */
export function renderPretty(report: VaryReport, style: Style): string {
  const { settings, questions, notes } = report;
  const pathsOf = (verdict: VariedSetting["verdict"]) =>
    new Set(settings.filter((row) => row.verdict === verdict).map(({ path }) => path));
  const dependsOn = pathsOf("depends");
  // A command may depend on one alternative of a setting, and not on another.
  const listed = (label: string, verdict: VariedSetting["verdict"]): string[] => {
    const paths = [...pathsOf(verdict)].filter((path) => !dependsOn.has(path)).join(", ");
    return paths === "" ? [] : wrapText(paths, style.width, 2, `${label}: `).map(style.faint);
  };
  const blocks = [
    ...settings.filter(({ verdict }) => verdict === "depends").map((row) => renderDependence(row, style)),
    listed("Independent of", "independent"),
    listed("Not read", "not-met"),
    ...(questions.length === 0 ? [] : [[style.strong("Questions for the provider")]]),
    ...questions.map((question, at) => renderQuestion(question, at + 1, style)),
    notes.flatMap((note) => wrapText(oneLine(note), style.width, 6, "Note: ")).map(style.faint),
    [renderSum(report, style)],
  ].filter((lines) => lines.length > 0);
  return blocks.map((lines) => `${lines.join("\n")}\n`).join("\n");
}

function renderDependence(row: VariedSetting, style: Style): string[] {
  const { change, repeat, output } = row;
  return [
    `${style.warning("depends")}  ${style.strong(titleOf(row))}`,
    ...(change === null ? [] : wrapText(oneLine(change), style.width, 2, "  ")),
    // Not wrapped, so that they can be copied.
    ...(repeat === null ? [] : [`  Repeat: ${repeat}`]),
    ...(output === null ? [] : [`  Printed: ${output}`]),
  ];
}

/** `transfers.min: 10000 in place of 5000` */
function titleOf({ path, alternative, default: before }: VariedSetting): string {
  return `${path}: ${show(alternative)} in place of ${show(before)}`;
}

function renderQuestion(
  { path, contract, question, default: before }: Question,
  number: number,
  style: Style,
): string[] {
  return [
    ...wrapText(question, style.width, 3, `${number}. `),
    ...wrapText(oneLine(contract), style.width, 3, "   ").map(style.faint),
    ...wrapText(`We assume ${path}: ${show(before)}.`, style.width, 3, "   ").map(style.faint),
  ];
}

function show(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A line of progress. */
export function renderRow(row: VariedSetting, style: Style): string {
  const paint = row.verdict === "depends" ? style.warning : style.good;
  return `${paint(row.verdict.padEnd(11))}  ${titleOf(row)}`;
}

/** `3 depend, 14 independent: 17 alternatives; 40 settings are not read` */
export function renderSum({ counts, stopped }: VaryReport, style: Style): string {
  const { depends, independent, "not-met": missed } = counts;
  const sum = depends + independent;
  const early = stopped === null ? "" : "; stopped early";
  const parts = [`${style.warning(`${depends} depend`)}, ${style.good(`${independent} independent`)}`];
  return `${parts.join("")}: ${pluralize(sum, "alternative")}; ${pluralize(missed, "setting is", "settings are")} not read${early}`;
}

/** The questions for the provider, as a page. */
export function renderMarkdown({ questions, command }: VaryReport): string {
  const intro =
    questions.length === 0
      ? `\`${command.join(" ")}\` depends on no open point of the contract that was tried.`
      : `The contract leaves these points open, and \`${command.join(" ")}\` depends on what we assumed.`;
  const pages = questions.map((question, at) => renderMarkdownQuestion(question, at + 1));
  return `${["# Questions for the provider", intro, ...pages].join("\n\n")}\n`;
}

function renderMarkdownQuestion(question: Question, number: number): string {
  const { path, contract, default: before, ifOtherwise } = question;
  return [
    `## ${number}. ${question.question}`,
    `> ${oneLine(contract)}`,
    `We assumed \`${path}: ${show(before)}\`.`,
    ...ifOtherwise.map(renderAnswer),
  ].join("\n\n");
}

function renderAnswer({ answer, effect, change, set }: OtherAnswer): string {
  return `- If it is \`${show(answer)}\` (${effect.replace(/\.$/, "")}): ${oneLine(change)} Then set:\n\n  \`\`\`yaml\n${set.trimEnd().replaceAll(/^/gm, "  ")}\n  \`\`\``;
}

/** JUnit XML: a case for each alternative. A dependence is a failure when `failOn` contains its verdict, and is output otherwise. */
export function renderJunit(report: VaryReport, failOn: readonly string[]): string {
  const cases = report.settings.map((row) => ({
    name: row.verdict === "not-met" ? row.path : titleOf(row),
    className: `vary.${row.path}`,
    durationMs: 0,
    result: junitResult(row, failOn),
  }));
  return renderJunitXml("sandbox vary", report.baseline.ms, [{ name: `vary ${report.command.join(" ")}`, cases }]);
}

function junitResult({ verdict, change }: VariedSetting, failOn: readonly string[]): JunitResult | undefined {
  if (verdict === "not-met") return { tag: "skipped", message: "the command does not use it" };
  if (change === null) return undefined;
  if (!failOn.includes(verdict)) return { tag: "system-out", text: change };
  return { tag: "failure", message: oneLine(change), type: verdict, text: change };
}
