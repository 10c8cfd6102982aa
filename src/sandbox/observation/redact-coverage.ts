import type { Coverage } from "./coverage-report.js";
import type { Redactor } from "./redact.js";

/** Rules are told as they were written: one may match the access token of its client. */
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
