import { renderFinding } from "../../sandbox/observation/render-findings.js";
import { oneLine, printable } from "../../kernel/printable.js";
import { type Paint, renderFailure } from "../run/failure.js";
import type { ReplaySummary, ScenarioResult } from "../run/replay.js";

/** Colours of a terminal, or none. */
export interface Palette extends Paint {
  readonly passed: (text: string) => string;
  readonly failed: (text: string) => string;
  readonly strong: (text: string) => string;
}

/** One line for a story that went well or was left out; for one that did not, all there is to see. */
export function renderResult(
  { scenario, outcome, reason, failure, durationMs, seen }: ScenarioResult,
  palette: Palette,
): string {
  const name = oneLine(scenario.name);
  const time = palette.faint(`${Math.round(durationMs)} ms`);
  const notes = renderSeen(seen, palette);
  if (outcome === "passed") return `${palette.passed("✓")} ${name} ${time}\n${notes}`;
  if (outcome === "skipped")
    return `${palette.faint("-")} ${name} ${palette.faint(`skipped: ${oneLine(reason ?? "")}`)}\n`;
  const details = failure === undefined ? "" : renderFailure(failure, palette).replaceAll(/^/gm, "    ");
  return `${palette.failed("✗")} ${palette.strong(name)} ${time}\n${details}\n${notes}`;
}

/** What it would be a pity not to be told of a story, however it came out. */
function renderSeen({ findings, rulesNeverFired }: ScenarioResult["seen"], palette: Palette): string {
  const blocks = [
    ...findings.map((finding) => renderFinding(finding)),
    ...rulesNeverFired.map((rule) => `the rule ${rule} never fired`),
  ];
  return blocks.map((block) => `${palette.faint(printable(block).replaceAll(/^/gm, "    "))}\n`).join("");
}

/** `3 passed, 1 failed in 0.4 s`, and how to see the same run again. */
export function renderSummary({ counts, notRun, durationMs, seed }: ReplaySummary, palette: Palette): string {
  const parts = [
    counts.passed > 0 || counts.failed + counts.error + counts.skipped === 0
      ? palette.passed(`${counts.passed} passed`)
      : "",
    counts.failed > 0 ? palette.failed(`${counts.failed} failed`) : "",
    counts.error > 0 ? palette.failed(`${counts.error} could not be run to the end`) : "",
    counts.skipped > 0 ? `${counts.skipped} skipped` : "",
    notRun > 0 ? `${notRun} not run (--bail)` : "",
  ].filter((part) => part !== "");
  const again = seed === undefined ? "" : palette.faint(` (seed ${seed})`);
  return `\n${parts.join(", ")} in ${(durationMs / 1000).toFixed(2)} s${again}\n`;
}
