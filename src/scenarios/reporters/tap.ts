import { stringify } from "yaml";
import { oneLine } from "../../kernel/printable.js";
import { renderFailure } from "../run/failure.js";
import type { Reporter } from "./reporter.js";

/** TAP version 14: a line for each story, a YAML block for what went wrong. */
export const renderTap: Reporter = ({ results }) => {
  const lines = results.flatMap(({ scenario, outcome, reason, failure }, index) => {
    const ok = outcome === "passed" || outcome === "skipped" ? "ok" : "not ok";
    const directive = outcome === "skipped" ? ` # SKIP ${escape(reason ?? "")}` : "";
    const head = `${ok} ${index + 1} - ${escape(scenario.name)}${directive}`;
    if (failure === undefined) return [head];
    const block = stringify({ severity: failure.kind, at: failure.position, message: renderFailure(failure) });
    return [
      head,
      "  ---",
      ...block
        .trimEnd()
        .split("\n")
        .map((line) => `  ${line}`),
      "  ...",
    ];
  });
  return ["TAP version 14", `1..${results.length}`, ...lines, ""].join("\n");
};

/** A # would begin a directive. */
function escape(text: string): string {
  return oneLine(text).replaceAll(/[\\#]/g, String.raw`\$&`);
}
