import { oneLine } from "../../kernel/printable.js";
import { renderFailure } from "../run/failure.js";
import type { Reporter } from "./reporter.js";

/** Workflow commands: each failure becomes an annotation at its line. */
export const renderGithub: Reporter = ({ results }) =>
  results
    .flatMap(({ scenario, outcome, reason, failure }) => {
      if (outcome === "skipped")
        return [
          `::notice file=${property(scenario.file)},title=Skipped::${data(`${oneLine(scenario.name)}: ${reason ?? ""}`)}`,
        ];
      if (failure === undefined) return [];
      const { file, line, column } = failure.position;
      const place = `file=${property(file)},line=${line},col=${column},title=${property(oneLine(scenario.name))}`;
      return [`::error ${place}::${data(renderFailure(failure))}`];
    })
    .map((line) => `${line}\n`)
    .join("");

/** The escapes that the runner undoes. */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
