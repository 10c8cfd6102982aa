import { type Coverage, type CoverageSection, type OperationCoverage, coverageSections } from "./coverage-report.js";
import type { Redactor } from "../observation/redact.js";
import { describeRendered } from "../state/rules.js";
import { groupBy } from "../../kernel/collections.js";

export const sectionTitles: Readonly<Record<CoverageSection, string>> = {
  operations: "Operations and statuses",
  transitions: "Transitions",
  causes: "Error causes",
  topics: "Topics acknowledged",
  rules: "Rules that fired",
  openPoints: "Open points touched",
};

/** The items of a section that were never covered, one line each. The statuses of an operation share a line. */
export function listUnmet(coverage: Coverage, section: CoverageSection): readonly string[] {
  switch (section) {
    case "operations":
      return byOperation(coverage.operations.filter(isUnmet)).map(
        ([operation, statuses]) => `${operation} ${statuses.join(" ")}`,
      );
    case "transitions":
      return coverage.transitions
        .filter(isUnmet)
        .map(({ resource, from, action, to }) => `${resource} ${from} → ${to} (${action})`);
    case "causes":
      return coverage.causes.filter(isUnmet).map(({ of, cause, status }) => `${cause} (${status ?? of})`);
    case "topics":
      return coverage.topics
        .filter(isUnmet)
        .map(({ topic, delivered }) => (delivered === 0 ? topic : `${topic} (delivered, never acknowledged)`));
    case "rules":
      return coverage.rules.filter(isUnmet).map(describeRendered);
    case "openPoints":
      return untouched(coverage.openPoints);
  }
}

export function renderCoverageMarkdown(coverage: Coverage): string {
  const { percent, met, total, sections } = coverage;
  const counts = coverageSections.map((section) => [
    sectionTitles[section],
    String(sections[section].met),
    String(sections[section].total),
  ]);
  const blocks = [
    "# Coverage of the contract",
    `**${percent} %**: ${met} of ${total} operations with their statuses, transitions, error causes and topics are covered.`,
    table(["", "Covered", "Of"], counts),
    "## Operations and statuses",
    table(["Operation", "Covered", "Not covered"], operationRows(coverage.operations)),
    ...renderUnmet(coverage, "transitions", "Transitions that never happened"),
    ...renderUnmet(coverage, "causes", "Error causes not covered"),
    ...renderUnmet(coverage, "topics", "Topics never acknowledged"),
    ...renderUnmet(coverage, "rules", "Rules that never fired"),
    ...renderAssumptions(coverage),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function isUnmet({ met }: { readonly met: boolean }): boolean {
  return !met;
}

/** The settings that were never read, under any value. */
function untouched(openPoints: Coverage["openPoints"]): readonly string[] {
  const touched = new Set(openPoints.filter(({ met }) => met).map(({ setting }) => setting));
  return [...new Set(openPoints.map(({ setting }) => setting))].filter((setting) => !touched.has(setting));
}

function byOperation(items: readonly OperationCoverage[]): readonly (readonly [string, readonly number[]])[] {
  const groups = groupBy(items, ({ method, path }) => `${method} ${path}`);
  return [...groups].map(([name, group]) => [name, group.map(({ status }) => status)]);
}

function operationRows(operations: Coverage["operations"]): readonly (readonly string[])[] {
  const met = new Map(byOperation(operations.filter(({ met }) => met)));
  const unmet = new Map(byOperation(operations.filter(isUnmet)));
  return byOperation(operations).map(([name]) => [
    code(name),
    (met.get(name) ?? []).join(" "),
    (unmet.get(name) ?? []).join(" "),
  ]);
}

function renderUnmet(coverage: Coverage, section: CoverageSection, title: string): readonly string[] {
  const unmet = listUnmet(coverage, section);
  return unmet.length === 0 ? [] : [`## ${title}`, unmet.map((line) => `- ${code(line)}`).join("\n")];
}

/** The settings that the results depend on. */
function renderAssumptions(coverage: Coverage): readonly string[] {
  const rows = coverage.openPoints
    .filter(({ met }) => met)
    .map(({ setting, value, isDefault, count }) => [
      code(setting),
      code(JSON.stringify(value)),
      isDefault ? "yes" : "no",
      String(count),
    ]);
  const never = listUnmet(coverage, "openPoints").map(code).join(", ");
  return [
    "## What the results depend on",
    "The contract leaves these points open. The results depend on the values here.",
    ...(rows.length === 0 ? [] : [table(["Setting", "Value", "Default", "Times"], rows)]),
    ...(never === "" ? [] : [`Never touched: ${never}.`]),
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Renders a user's text as code, escaped so that it does not end the code, the cell or the line. */
function code(text: string): string {
  return `\`${text
    .replaceAll("`", "'")
    .replaceAll("|", String.raw`\|`)
    .replaceAll(/\s+/g, " ")}\``;
}

/** Redacts the rules, which may contain the access token of a client. */
export function redactCoverage(coverage: Coverage, redactor: Redactor): Coverage {
  const members = (given: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(given).map(([name, member]) => [name, redactor.value(member)]));
  const rules = coverage.rules.map((rule) => ({
    ...rule,
    name: rule.name === null ? null : redactor.text(rule.name),
    match: members(rule.match),
    then: members(rule.then),
  }));
  return { ...coverage, rules };
}
