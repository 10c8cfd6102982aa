import { snippets } from "../snippets/snippet.js";
import type { Reporter } from "./reporter.js";

/** The report as one JSON object; a check that failed carries the code that mends it, by language. */
export const renderJson: Reporter = (report) => {
  const checks = report.checks.map(({ snippet, ...check }) => {
    const isBroken = check.verdict === "fail" || check.verdict === "warn";
    return { ...check, snippets: isBroken && snippet !== null ? snippets[snippet].code : null };
  });
  return `${JSON.stringify({ ...report, checks }, undefined, 2)}\n`;
};
