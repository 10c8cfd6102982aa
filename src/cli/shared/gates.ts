import type { Command } from "commander";
import { UsageError } from "../../kernel/messages/problem.js";
import { quote, pluralize } from "../../kernel/messages/text.js";
import { allowance } from "../../sandbox/config/allowance.js";
import type { Finding } from "../../sandbox/findings/finding.js";
import { EXIT } from "./help.js";
import { printDiagnostic } from "./output.js";
import { parseChoice } from "./values.js";

export interface GateFlags {
  readonly failOn?: string;
  /** `KIND[:RESOURCE]` */
  readonly allow?: readonly string[];
  /** The least coverage in per cent. */
  readonly failUnder?: string;
}

const failOnLevels = ["critical", "warning", "findings"] as const;

export interface Gates {
  readonly failOn: (typeof failOnLevels)[number] | undefined;
  readonly allow: readonly string[];
  readonly minPercent: number | undefined;
}

export function addFindingGates(command: Command): Command {
  return command
    .option(
      "--fail-on <severity>",
      "exit with 5 if there are findings of this severity\nor worse: critical or warning (or findings: any)",
    )
    .option("--allow <kind...>", "expect findings of KIND, or of KIND:RESOURCE");
}

export function parseGates({ failOn, allow = [], failUnder }: GateFlags): Gates {
  for (const entry of allow) {
    const [issue] = allowance.safeParse(entry).error?.issues ?? [];
    if (issue !== undefined) throw new UsageError("command-line", `--allow ${issue.message}, got ${quote(entry)}.`);
  }
  return {
    failOn: failOn === undefined ? undefined : parseChoice("--fail-on", failOn, failOnLevels),
    allow,
    minPercent: failUnder === undefined ? undefined : parsePercent(failUnder),
  };
}

/** What the gates judge. Without `percent`, coverage is not judged. `unjudged` says why nothing can be judged. */
export interface Judged {
  readonly findings: readonly Finding[];
  readonly percent?: number;
  readonly unjudged: string | undefined;
}

/** Prints which gates failed or could not be judged. Returns the exit code. */
export function judgeGates({ failOn, minPercent }: Gates, { findings, percent, unjudged }: Judged): number {
  const counted = failOn === "critical" ? findings.filter(({ severity }) => severity === "critical") : findings;
  const hasFindings = failOn !== undefined && counted.length > 0;
  const isUnder = unjudged === undefined && minPercent !== undefined && percent !== undefined && percent < minPercent;
  if (hasFindings) {
    const [are, critical] = [counted.length === 1 ? "is" : "are", failOn === "critical" ? "critical " : ""];
    printDiagnostic(`sandbox: --fail-on ${failOn}: there ${are} ${pluralize(counted.length, `${critical}finding`)}`);
  }
  if (isUnder) printDiagnostic(`sandbox: --fail-under ${minPercent}: ${percent} % of the contract is covered`);
  if (hasFindings || isUnder) return EXIT.gate;
  const gates = [
    ...(failOn === undefined ? [] : [`--fail-on ${failOn}`]),
    ...(minPercent === undefined ? [] : [`--fail-under ${minPercent}`]),
  ];
  if (unjudged === undefined || gates.length === 0) return EXIT.ok;
  printDiagnostic(`sandbox: inconclusive: ${gates.join(" and ")} could not be judged: ${unjudged}`);
  return EXIT.inconclusive;
}

function parsePercent(text: string): number {
  const value = Number(text);
  if (/^\d{1,3}(?:\.\d+)?$/.test(text) && value <= 100) return value;
  throw new UsageError("command-line", `--fail-under must be a number of per cent from 0 to 100, got "${text}".`);
}
