import { oneLine, printable } from "../kernel/messages/text.js";
import type { Style } from "../kernel/messages/report.js";
import { renderFinding } from "../sandbox/observation/finding.js";
import { renderFailure } from "./run/failure.js";
import type { ReplaySummary, ScenarioResult } from "./run/replay.js";

/** One line for a scenario that passed or was skipped; all details of one that failed. */
export function renderResult(
  { scenario, outcome, reason, failure, durationMs, seen }: ScenarioResult,
  style: Style,
): string {
  const name = oneLine(scenario.name);
  const time = style.faint(`${Math.round(durationMs)} ms`);
  const notes = renderSeen(seen, style);
  if (outcome === "passed") return `${style.good("✓")} ${name} ${time}\n${notes}`;
  if (outcome === "skipped") return `${style.faint("-")} ${name} ${style.faint(`skipped: ${oneLine(reason ?? "")}`)}\n`;
  const details = failure === undefined ? "" : indent(renderFailure(failure, style));
  return `${style.bad("✗")} ${style.strong(name)} ${time}\n${details}\n${notes}`;
}

/** Findings, and rules that never fired. */
function renderSeen({ findings, rulesNeverFired }: ScenarioResult["seen"], { faint }: Style): string {
  const notes = [
    ...findings.map((finding) => renderFinding(finding)),
    ...rulesNeverFired.map((rule) => `the rule ${rule} never fired`),
  ];
  return notes.map((note) => `${faint(indent(printable(note)))}\n`).join("");
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "    ");
}

/** `3 passed, 1 failed in 0.4 s`, and the seed that repeats the run. */
export function renderSummary({ counts, notRun, durationMs, seed }: ReplaySummary, style: Style): string {
  const { passed, failed, error, skipped } = counts;
  const parts = [
    passed > 0 || failed + error + skipped === 0 ? style.good(`${passed} passed`) : "",
    failed > 0 ? style.bad(`${failed} failed`) : "",
    error > 0 ? style.bad(`${error} could not be run to the end`) : "",
    skipped > 0 ? `${skipped} skipped` : "",
    notRun > 0 ? `${notRun} not run (--bail)` : "",
  ].filter((part) => part !== "");
  const again = seed === undefined ? "" : style.faint(` (seed ${seed})`);
  return `\n${parts.join(", ")} in ${(durationMs / 1000).toFixed(2)} s${again}\n`;
}
