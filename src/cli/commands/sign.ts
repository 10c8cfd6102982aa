import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { assertFile } from "../../adapters/files/read-text.js";
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

async function readBody(file: string | undefined): Promise<Buffer> {
  if (file !== undefined && file !== "-") {
    await assertFile(file);
    return readFile(file).catch((error: unknown) => {
      throw explainUnreadable(file, error);
    });
  }
  if (file === undefined && process.stdin.isTTY) {
    throw new UsageError("command-line", "Nothing to sign. Give a file, or - to type the body (end it with Ctrl-D).");
  }
  return buffer(process.stdin);
}

function explainUnreadable(file: string, error: unknown): UsageError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const why = typeof code === "string" ? (reasons[code] ?? code) : String(error);
  return new UsageError("file", `Failed to read ${file}: ${why}.`);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "it may not be read",
  EPERM: "it may not be read",
};
