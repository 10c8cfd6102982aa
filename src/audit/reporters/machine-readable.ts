import { oneLine, printable } from "../../kernel/messages/text.js";
import {
  type JunitCase,
  type JunitResult,
  type Style,
  renderJunit as renderJunitXml,
} from "../../kernel/messages/report.js";
import { snippets } from "../checks/snippets.js";
import { checkGroups } from "../wire/check.js";
import { type Reporter, renderDetails } from "./details.js";
import { type CheckResult, isBroken } from "./report.js";

/** JUnit XML: a suite for each group of checks, a case for each check. The details of a warning are output, not a failure. */
export const renderJunit: Reporter = ({ checks, receiver, durationMs }, style) => {
  const suites = checkGroups.flatMap((group) => {
    const members = checks.filter((check) => check.group === group);
    const cases = members.map((check): JunitCase => {
      const { id, title, received } = check;
      const common = { name: `${id}: ${title}`, className: `audit.${group}`, durationMs: received?.latencyMs ?? 0 };
      return { ...common, result: junitResult(check, style) };
    });
    return cases.length === 0 ? [] : [{ name: `audit ${group} ${receiver}`, cases }];
  });
  return renderJunitXml("sandbox audit", durationMs, suites);
};

function junitResult(check: CheckResult, style: Style): JunitResult | undefined {
  const message = oneLine(check.seen ?? "");
  if (check.verdict === "pass") return undefined;
  if (check.verdict === "skipped") return { tag: "skipped", message };
  const text = printable(renderDetails(check, style).join("\n"));
  return check.verdict === "warn"
    ? { tag: "system-out", text }
    : { tag: "failure", message, type: check.severity, text };
}

/** The report as one JSON object; a check that failed carries the code that fixes it, by language. */
export const renderJson: Reporter = (report) => {
  const checks = report.checks.map(({ snippet, ...check }) => ({
    ...check,
    snippets: isBroken(check) && snippet !== null ? snippets[snippet].code : null,
  }));
  return `${JSON.stringify({ ...report, checks }, undefined, 2)}\n`;
};
