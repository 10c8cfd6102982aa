import { oneLine, pluralize } from "../kernel/messages/text.js";
import { renderFinding } from "../sandbox/findings/finding.js";
import type { RunReport } from "../sandbox/run-report.js";

type Report = () => RunReport;

/** The sandboxes that are open, and what is called with each new one. */
interface Suite {
  readonly open: Set<Report>;
  readonly watchers: Set<(report: Report) => void>;
}

const SUITE = Symbol.for("business-payments-sandbox.suite");

/** Global, since a setup file and a test file can have module graphs of their own. In Jest each test file has a global object of its own. */
function suite(): Suite {
  const place = globalThis as { [SUITE]?: Suite };
  return (place[SUITE] ??= { open: new Set(), watchers: new Set() });
}

/** Suites are judged by a sandbox from now on. The returned function ends that for those that begin later. */
export function joinSuite(report: Report): () => void {
  const { open, watchers } = suite();
  open.add(report);
  for (const watch of watchers) watch(report);
  return () => void open.delete(report);
}

/**
 * Watches the sandboxes that are open and those that are created from now on. The returned function ends that, and throws when one has a finding, or a rule
 * that never fired, and did not have it at the beginning: in Vitest without isolation, test files share modules, and so their sandboxes.
 */
export function watchSuite(): () => void {
  const { open, watchers } = suite();
  const reports = [...open];
  const before = new Set(reports.flatMap((report) => problemsIn(report())));
  const add = (report: Report): void => void reports.push(report);
  watchers.add(add);
  return () => {
    watchers.delete(add);
    const problems = reports.flatMap((report) => problemsIn(report())).filter((problem) => !before.has(problem));
    if (problems.length > 0) throw new Error(problems.join("\n\n"));
  };
}

function problemsIn({ findings, rulesNeverFired }: RunReport): string[] {
  return [
    ...(findings.length === 0 ? [] : [`The sandbox has ${pluralize(findings.length, "finding")}.`]),
    ...findings.map(renderFinding),
    ...rulesNeverFired.map((rule) => `The rule ${oneLine(rule)} never fired.`),
  ];
}
