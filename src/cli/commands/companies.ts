import { readBytes, readStdin } from "../../adapters/files/read-text.js";
import { isObject } from "../../kernel/messages/json.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { didYouMean } from "../../kernel/messages/suggest.js";
import { STATE_BYTES_MAX } from "../../sandbox/state/state.js";
import { type TargetFlags, callControl, notASandbox, readTarget } from "../shared/control-call.js";
import { addClosing, type Verb } from "../shared/help.js";
import { printData } from "../shared/output.js";

export const verb: Verb = (command) => {
  command
    .description("Moves a company from one running sandbox to another, with all its records.")
    .usage("<export <id>|import [file]> [options]")
    .argument("<action>", "export or import")
    .argument("[what]", "export: the company's id; import: a file, or - for stdin")
    .option("--close", "export: the company stops here, in the same step")
    .option("--url <url>", "default: SANDBOX_URL, or http://127.0.0.1:4010")
    .option("--admin-token <token>", "default: SANDBOX_ADMIN_TOKEN")
    .action(async (action: string, what: string | undefined, flags: CompaniesFlags) => companies(action, what, flags));
  addClosing(
    command,
    `A closed company answers 503 until it is imported again, here or elsewhere, or
removed with DELETE /_sandbox/companies/ID.

Examples:
  sandbox companies export company_shop --close >shop.json
  sandbox companies import shop.json --url http://b:4010`,
  );
};

interface CompaniesFlags extends TargetFlags {
  readonly close?: true;
}

const actions = ["export", "import"];

async function companies(action: string, what: string | undefined, flags: CompaniesFlags): Promise<void> {
  // The command line names the company. `SANDBOX_COMPANY_ID` may name another one.
  const target = { ...readTarget(flags), company: undefined };
  if (action === "export") {
    if (what === undefined) throw new UsageError("command-line", "export needs the id of a company.");
    const body = { close: flags.close ?? false };
    const exported = await callControl(target, { method: "POST", path: `${pathOf(what)}/export`, body });
    if (!isObject(exported) || exported["companyId"] !== what) throw notASandbox(target);
    printData(JSON.stringify(exported));
  } else if (action === "import") {
    const file = await readInput(what);
    const companyId = readCompanyId(file, what);
    await callControl(target, { method: "PUT", path: pathOf(companyId), body: file });
    printData(`Imported ${companyId}.`);
  } else {
    const message = `A company cannot ${JSON.stringify(action)}: it can ${actions.join(" and ")}.`;
    throw new UsageError("command-line", message + didYouMean(action, actions));
  }
}

function pathOf(companyId: string): string {
  return `/companies/${encodeURIComponent(companyId)}`;
}

async function readInput(file: string | undefined): Promise<string> {
  const isStdin = file === undefined || file === "-";
  const bytes = await (isStdin ? readStdin(STATE_BYTES_MAX) : readBytes(file, STATE_BYTES_MAX));
  return bytes.toString();
}

function readCompanyId(exported: string, file = "stdin"): string {
  try {
    const read: unknown = JSON.parse(exported);
    // A state also has a `companyId`.
    const isExport = isObject(read) && "exportVersion" in read;
    if (isExport && typeof read["companyId"] === "string") return read["companyId"];
  } catch {
    // It is not JSON.
  }
  throw new UsageError("file", `${file} is not what \`sandbox companies export\` wrote.`);
}
