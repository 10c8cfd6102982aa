import { UsageError } from "../kernel/messages/problem.js";
import { printable } from "../kernel/messages/text.js";
import { runProgram } from "./program.js";
import { EXIT, exitCodeOf } from "./shared/help.js";
import { printDiagnostic } from "./shared/output.js";

/** The entry of the command `sandbox`. bin/sandbox.js imports the build of this module. */

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // The reader has closed the pipe, as in `sandbox profile | head`.
    if (error.code === "EPIPE") return;
    process.exitCode ||= EXIT.cannotRun;
    if (stream === process.stdout) process.stderr.write(`sandbox: Failed to write the output: ${error.message}.\n`);
  });
}

/** Exits at once: after a bug the state cannot be trusted, and open handles must not keep the process alive. */
function crash(error: unknown): never {
  process.exit(reportError(error));
}
process.on("uncaughtException", crash);
process.on("unhandledRejection", crash);

void runProgram(process.argv.slice(2))
  .catch((error: unknown) => (error instanceof UsageError ? reportError(error) : crash(error)))
  // An exit code of 0 must not hide that the output could not be written.
  .then((code) => (process.exitCode = code || process.exitCode));

/** Prints the error on stderr and returns the exit code. SANDBOX_DEBUG adds the stack trace of a bug. */
function reportError(thrown: unknown): number {
  const error = isFolderGone(thrown) ? new UsageError("file", FOLDER_GONE) : thrown;
  if (error instanceof UsageError) {
    // A message may quote a file or a server.
    for (const message of error.messages.map(printable))
      printDiagnostic(error.kind === "file" ? message : `sandbox: ${message}`);
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

const FOLDER_GONE = "Failed to find the current folder: it was removed. Change to another one.";

/** Whether an error was thrown because a path is relative to a current folder that was removed. */
function isFolderGone(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "uv_cwd";
}
