import type { UsageErrorKind } from "../../kernel/messages/problem.js";
import { type Command, Option } from "commander";
import { colorsFor } from "./output.js";

/** Defines the flags, help and action of a verb. `exitWith` sets the exit code. */
export type Verb = (command: Command, exitWith: (code: number) => void) => void;

/** Adds text below the help. Commander does not wrap it. */
export function addClosing(command: Command, ...paragraphs: readonly string[]): void {
  const { bold } = colorsFor(process.stdout);
  command.addHelpText("after", `\n${paragraphs.join("\n\n").replaceAll(/^[A-Z][a-z ]+:$/gm, (title) => bold(title))}`);
}

export interface FormatFlags {
  readonly format?: string;
  readonly json?: true;
}

export function jsonFormat(): Option {
  return new Option("--json", "short for --format json").conflicts("format");
}

export function formatOf({ json, format }: FormatFlags): string | undefined {
  return json === true ? "json" : format;
}

export const EXIT = {
  ok: 0,
  commandLine: 1,
  file: 2,
  cannotRun: 3,
  assertion: 4,
  gate: 5,
  inconclusive: 6,
  /** A bug of the sandbox; EX_SOFTWARE of sysexits.h. */
  bug: 70,
} as const;

export const exitCodeOf: Readonly<Record<UsageErrorKind, number>> = {
  "command-line": EXIT.commandLine,
  input: EXIT.commandLine,
  "not-found": EXIT.commandLine,
  file: EXIT.file,
  "cannot-run": EXIT.cannotRun,
  state: EXIT.cannotRun,
  busy: EXIT.cannotRun,
  forbidden: EXIT.cannotRun,
  conflict: EXIT.cannotRun,
};

export const EXIT_CODES_HELP = `Exit codes:
  0   all well
  1   the command line is wrong
  2   a file is missing, does not parse or does not validate
  3   it could not run: port taken, sandbox or receiver not reachable
  4   a scenario did not end as expected, or a check of audit failed
  5   a gate failed: --fail-on, --fail-under
  6   inconclusive: nothing failed, but what was asked for could not be judged
  70  a bug of the sandbox`;
