import { oneLine, pluralize } from "../kernel/messages/text.js";
import { renderFinding } from "../sandbox/findings/finding.js";
import type { RunReport } from "../sandbox/run-report.js";

type Report = () => RunReport;

/** The open sandboxes, and the functions that are called with each new one. */
interface Suite {
  readonly open: Set<Report>;
  readonly watchers: Set<(report: Report) => void>;
}

const SUITE = Symbol.for("business-payments-sandbox.suite");

/** Kept in a global, because a setup file and a test file may have separate module graphs. In Jest each test file also has its own global object. */
function suite(): Suite {
  const place = globalThis as { [SUITE]?: Suite };
  return (place[SUITE] ??= { open: new Set(), watchers: new Set() });
}

/** Adds a sandbox to those that judge a suite. The returned function removes it for suites that begin later. */
export function joinSuite(report: Report): () => void {
  const { open, watchers } = suite();
  open.add(report);
  for (const watch of watchers) watch(report);
  return () => void open.delete(report);
}

/**
 * Watches the open sandboxes, and those that are created from now on. The returned function ends that, and throws when one of them has a finding, or
 * a rule that never fired, that it did not have at the beginning. In Vitest without isolation, test files share modules and therefore their
 * sandboxes.
 */
export function watchSuite(): () => void {
  const { open, watchers } = suite();
  /** The problems that each sandbox had at the beginning. */
  const earlier = new Map([...open].map((report) => [report, new Set(problemsIn(report()))]));
  const add = (report: Report): void => void earlier.set(report, new Set());
  watchers.add(add);
  return () => {
    watchers.delete(add);
    const problems = [...earlier].flatMap(([report, before]) => problemsIn(report()).filter((one) => !before.has(one)));
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
