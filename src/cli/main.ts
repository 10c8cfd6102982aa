import { EXIT } from "./exit-codes.js";
import { readPlainStart } from "./plain-start.js";
import { reportError } from "./report-error.js";

/** The command `sandbox`: bin/sandbox.js requires this module, built. */

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // Who read us has left, `sandbox profile | head` say: what is still to come interests nobody.
    if (error.code === "EPIPE") return;
    process.exitCode = EXIT.cannotRun;
    if (stream === process.stdout) process.stderr.write(`sandbox: Failed to write the output: ${error.message}.\n`);
  });
}

/** A bug that no `await` leads to: nothing can be trusted after it. */
function crash(error: unknown): never {
  process.exit(reportError(error));
}
process.on("uncaughtException", crash);
process.on("unhandledRejection", crash);

void run(process.argv.slice(2))
  .catch(reportError)
  .then((code) => (process.exitCode = code));

async function run(args: readonly string[]): Promise<number> {
  const flags = readPlainStart(args);
  if (flags === undefined) return (await import("./program.js")).runProgram(args);
  await (await import("./commands/start.js")).start(flags);
  return EXIT.ok;
}
