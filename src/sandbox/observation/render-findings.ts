import type { Finding } from "./finding.js";

/** A finding as a person reads it in a terminal: what was seen, by which requests, and what to do. */
export function renderFinding({ kind, severity, why, fix, requests }: Finding): string {
  return [
    `${severity}: ${kind}`,
    `  ${why}`,
    ...requests.map(({ id, method, path, summary }) => `    ${id}  ${method} ${path}  ${summary}`.trimEnd()),
    `  fix: ${fix}`,
  ].join("\n");
}

/** `3 findings` */
export function countFindings(count: number): string {
  return `${count} ${count === 1 ? "finding" : "findings"}`;
}
