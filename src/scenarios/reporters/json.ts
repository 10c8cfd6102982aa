import type { Failure } from "../run/failure.js";
import type { Reporter } from "./reporter.js";

/** One JSON object: the counts, and for each story its outcome and, where it failed, everything about it. */
export const renderJson: Reporter = ({ results, counts, durationMs, seed, notRun }) => {
  const report = {
    ...counts,
    notRun,
    durationMs: Math.round(durationMs),
    seed: seed ?? null,
    scenarios: results.map(({ scenario, outcome, reason, failure, durationMs: ms, stepsPassed, seen }) => ({
      name: scenario.name,
      file: scenario.file,
      tags: scenario.tags,
      outcome,
      durationMs: Math.round(ms),
      stepsPassed,
      ...(reason === undefined ? {} : { reason }),
      ...(failure === undefined ? {} : { failure: describe(failure) }),
      findings: seen.findings,
      rulesNeverFired: seen.rulesNeverFired,
    })),
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
};

/** Without the headers of webhooks: the port in them is another in every run. */
function describe({ received, ...failure }: Failure) {
  if (received === undefined) return failure;
  return { ...failure, received: received.map(({ headers: _, ...webhook }) => webhook) };
}
