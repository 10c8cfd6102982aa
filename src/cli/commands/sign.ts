import { readBytes, readStdin } from "../../adapters/files/read-text.js";
import { signBody } from "../../domain/deliveries/sign-delivery.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { DEFAULT_COMPANY } from "../../sandbox/config/options.js";
import { addClosing, type Verb } from "../shared/help.js";
import { printData } from "../shared/output.js";

export const verb: Verb = (command) => {
  command
    .description("Prints the signature of a webhook whose body is exactly these bytes, no more.")
    .argument("[file]", "the body; - reads stdin")
    .option("--secret <key>", "default: SANDBOX_SECRET_KEY, or secret_sandbox")
    .action(async (file: string | undefined, flags: { secret?: string }) => sign(file, flags.secret));
  addClosing(
    command,
    `Examples:
  sandbox sign event.json
  printf '{"amount":1}' | sandbox sign - --secret secret_sandbox`,
  );
};

async function sign(file: string | undefined, secretFlag: string | undefined): Promise<void> {
  const secret = secretFlag ?? (process.env["SANDBOX_SECRET_KEY"] || DEFAULT_COMPANY.secretKey);
  if (secret === "") throw new UsageError("command-line", "--secret must not be empty. Give the company's secret key.");
  printData(signBody(await readBody(file), secret));
}

/** Far more than any webhook has. */
const BYTES_MAX = 64 * 1024 * 1024;

async function readBody(file: string | undefined): Promise<Buffer> {
  if (file !== undefined && file !== "-") {
    return readBytes(file, BYTES_MAX);
  }
  if (file === undefined && process.stdin.isTTY) {
    throw new UsageError("command-line", "Nothing to sign. Give a file, or - to type the body (end it with Ctrl-D).");
  }
  return readStdin(BYTES_MAX);
}
