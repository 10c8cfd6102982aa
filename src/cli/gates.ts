import { UsageError } from "../kernel/problem.js";
import { countFindings } from "../sandbox/observation/finding.js";
import { parseChoice } from "./values.js";

/** What makes a run fail that went well by itself: exit code 5. */
export interface GateFlags {
  /** `findings` */
  readonly failOn?: string;
  /** Per cent of the contract. */
  readonly failUnder?: string;
}

export interface Gates {
  readonly onFindings: boolean;
  readonly minPercent: number | undefined;
}

/** Throws UsageError("command-line") for a gate that there is not. */
export function parseGates({ failOn, failUnder }: GateFlags): Gates {
  if (failOn !== undefined) parseChoice("--fail-on", failOn, ["findings"]);
  return {
    onFindings: failOn !== undefined,
    minPercent: failUnder === undefined ? undefined : parsePercent(failUnder),
  };
}

/** A line for each gate that failed. */
export function failedGates(gates: Gates, findings: number, percent: number | undefined): readonly string[] {
  const { onFindings, minPercent } = gates;
  return [
    ...(onFindings && findings > 0
      ? [`--fail-on findings: there ${findings === 1 ? "is" : "are"} ${countFindings(findings)}`]
      : []),
    ...(minPercent !== undefined && percent !== undefined && percent < minPercent
      ? [`--fail-under ${minPercent}: ${percent} % of the contract was met`]
      : []),
  ];
}

function parsePercent(text: string): number {
  const value = Number(text);
  if (/^\d{1,3}(?:\.\d+)?$/.test(text) && value <= 100) return value;
  throw new UsageError("command-line", `--fail-under must be a number of per cent from 0 to 100, got "${text}".`);
}
