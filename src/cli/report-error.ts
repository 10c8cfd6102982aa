import { UsageError } from "../kernel/problem.js";
import { EXIT, exitCodeOf } from "./exit-codes.js";
import { printDiagnostic } from "./output.js";

/** Says on stderr what went wrong, and returns the exit code. Only a bug of ours has a stack trace, and only for who asks for it. */
export function reportError(error: unknown): number {
  if (error instanceof UsageError) {
    for (const message of error.messages) printDiagnostic(error.kind === "file" ? message : `sandbox: ${message}`);
    return exitCodeOf[error.kind];
  }
  const wantsStack = (process.env["SANDBOX_DEBUG"] ?? "") !== "";
  if (wantsStack && error instanceof Error) printDiagnostic(error.stack ?? String(error));
  const [what = ""] = String(error).split("\n", 1);
  printDiagnostic(
    `sandbox: Unexpected ${what}. This is a bug of the sandbox: please report it, with what SANDBOX_DEBUG=1 prints.`,
  );
  return EXIT.bug;
}
