import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { oneLine } from "../kernel/messages/text.js";
import { countFindings, renderFinding } from "../sandbox/observation/finding.js";
import type { RunReport } from "../sandbox/run-report.js";

/**
 * `createSandbox` publishes each sandbox's `report` on this channel of `node:diagnostics_channel`. The channel is the process's: it joins a setup file and
 * a test file that have module graphs of their own.
 */
export const SANDBOX_CREATED = "business-payments-sandbox:created";

/** Collects the sandboxes that are created from now on. The returned function ends that, and throws when one has a finding or a rule that never fired. */
export function watchSuite(): () => void {
  const reports: (() => RunReport)[] = [];
  const onCreated = (report: unknown): void => void reports.push(report as () => RunReport);
  subscribe(SANDBOX_CREATED, onCreated);
  return () => {
    unsubscribe(SANDBOX_CREATED, onCreated);
    const problems = reports.flatMap((report) => problemsIn(report()));
    if (problems.length > 0) throw new Error(problems.join("\n\n"));
  };
}

function problemsIn({ findings, rulesNeverFired }: RunReport): string[] {
  return [
    ...(findings.length === 0 ? [] : [`The sandbox has ${countFindings(findings.length)}.`]),
    ...findings.map(renderFinding),
    ...rulesNeverFired.map((rule) => `The rule ${oneLine(rule)} never fired.`),
  ];
}
