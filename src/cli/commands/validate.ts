import { readSource } from "../../adapters/files/source.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { EXIT, type Verb, addClosing } from "../shared/help.js";
import { asFileProblem } from "../run/run-sandbox.js";
import { readStart } from "../run/prepare-start.js";
import { printable } from "../../kernel/messages/text.js";
import { printData, printDiagnostic, printJson } from "../shared/output.js";
import { isScenario } from "../shared/scenario-files.js";
import { parseScenario } from "../../scenarios/file/parse-scenario.js";
import { Sandbox } from "../../sandbox/sandbox.js";
import { validateFile } from "../../sandbox/config/load-files.js";

export const verb: Verb = (command, exitWith) => {
  command
    .description(
      "Checks config, profile, fixtures, rules and scenario files, and reports every\nmistake with its line and column.",
    )
    .argument("<file...>", "the files")
    .option("--json", "print the findings as JSON")
    .action(async (files: readonly string[], flags: { json?: true }) => exitWith(await validate(files, flags)));
  addClosing(
    command,
    `Examples:
  sandbox validate sandbox.config.yaml
  sandbox validate fixtures/*.yaml profile.yaml`,
  );
};

interface Finding {
  readonly file: string;
  readonly kind: string | null;
  /** Each `file:line:column: message`. */
  readonly problems: readonly string[];
}

async function validate(files: readonly string[], { json }: { readonly json?: true }): Promise<number> {
  const findings: Finding[] = [];
  for (const file of files) findings.push(await check(file));
  if (json === true) printJson(findings);
  else findings.forEach(print);
  return findings.every(({ problems }) => problems.length === 0) ? EXIT.ok : EXIT.file;
}

async function check(file: string): Promise<Finding> {
  let kind: string | null = null;
  try {
    const source = await readSource(file);
    if (!isScenario(source.value)) {
      const found = await validateFile(file);
      kind = found.kind;
      if (kind === "config" && found.problems.length === 0) await assertStarts(file);
      return { file, ...found };
    }
    kind = "scenario";
    await parseScenario(source);
    return { file, kind, problems: [] };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { file, kind, problems: error.messages };
  }
}

/** A configuration's files and companies must also fit together. Its admin token is seldom in the file, so one is assumed to be given elsewhere. */
async function assertStarts(config: string): Promise<void> {
  const { options } = await readStart({ config, adminToken: "admin-token" }, {});
  try {
    await new Sandbox(options).close();
  } catch (error) {
    throw asFileProblem(error);
  }
}

function print({ file, kind, problems }: Finding): void {
  if (problems.length === 0) printData(`${file}: ok (${kind})`);
  for (const problem of problems) printDiagnostic(printable(problem));
}
