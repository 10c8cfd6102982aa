import type { UsageErrorKind } from "../../kernel/messages/problem.js";

export const EXIT = {
  ok: 0,
  commandLine: 1,
  file: 2,
  cannotRun: 3,
  assertion: 4,
  gate: 5,
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
};

export const EXIT_CODES_HELP = `Exit codes:
  0   all well
  1   the command line is wrong
  2   a file is missing, does not parse or does not validate
  3   it could not run: port taken, sandbox or receiver not reachable
  4   a scenario did not come out as told, or a check of audit failed
  5   a gate failed: --fail-on, --fail-under
  70  a bug of the sandbox`;
