import { writeFile } from "node:fs/promises";
import type { AuditReport } from "../../audit/reporters/report.js";
import { listChecks, renderCheckList } from "../../audit/check-list.js";
import { renderJson, renderJunit } from "../../audit/reporters/machine-readable.js";
import { renderPretty, renderSum } from "../../audit/reporters/pretty.js";
import type { Reporter } from "../../audit/reporters/details.js";
import { type AuditOptions, runAudit } from "../../audit/run-audit.js";
import { createSandboxDoor } from "../../audit/state/sandbox-door.js";
import { UsageError } from "../../kernel/problem.js";
import { plainStyle } from "../../kernel/report.js";
import { systemClock } from "../../kernel/system-clock.js";
import {
  type AuditFlags,
  type AuditReporterName,
  type ParsedAudit,
  parseAuditFlags,
  readEvent,
} from "../audit-options.js";
import { EXIT } from "../exit-codes.js";
import { colorsFor, printData, printDiagnostic, printJson, styleFor } from "../output.js";
import { parseBaseUrl } from "../values.js";

/** `sandbox audit`: is this webhook receiver safe? Returns the exit code. */
export async function audit(url: string | undefined, flags: AuditFlags): Promise<number> {
  const options = parseAuditFlags(url, flags, process.env);
  if (flags.list === true || options.url === undefined) {
    if (options.reporter === "json") printJson(listChecks());
    else printData(renderCheckList(styleFor(process.stdout)));
    return EXIT.ok;
  }
  const event = options.event === undefined ? undefined : await readEvent(options.event);
  const progress = createProgress();
  endAtSignal();
  const report = await runAudit({ ...options, url: options.url, event, ...sandboxOf(options), ...progress }).finally(
    progress.end,
  );
  await print(report, options);
  return report.passed ? EXIT.ok : EXIT.assertion;
}

/** An end that is told of: commands of --check and --order have groups of their own, which no Ctrl-C reaches, and end with this process. */
function endAtSignal(): void {
  process.once("SIGINT", () => process.exit(130));
  process.once("SIGTERM", () => process.exit(143));
}

/** Where the application's sandbox is said, its orders are made there. */
function sandboxOf({ check }: ParsedAudit): Pick<AuditOptions, "sandbox"> {
  const { SANDBOX_URL: given = "", SANDBOX_ACCESS_TOKEN: accessToken = "" } = process.env;
  if (check === undefined || given === "" || accessToken === "") return {};
  const url = parseBaseUrl("SANDBOX_URL", given);
  const companyId = process.env["SANDBOX_COMPANY_ID"];
  const adminToken = process.env["SANDBOX_ADMIN_TOKEN"];
  const door = { url, accessToken, companyId, adminToken, timeoutMs: SANDBOX_TIMEOUT_MS, system: systemClock };
  return { sandbox: createSandboxDoor(door) };
}

const SANDBOX_TIMEOUT_MS = 30_000;

const reporters: Readonly<Record<AuditReporterName, Reporter>> = {
  pretty: renderPretty,
  junit: renderJunit,
  json: renderJson,
};

async function print(report: AuditReport, { reporter, out }: ParsedAudit): Promise<void> {
  // What a program reads, and what is kept, is the same whatever the terminal is.
  const isForPeople = reporter === "pretty" && out === undefined;
  const text = reporters[reporter](report, isForPeople ? styleFor(process.stdout) : plainStyle);
  if (out === undefined) printData(text);
  else await writeReport(out, text);
  // Whatever form the report has, a person who watches sees what became of it.
  if (!isForPeople) printDiagnostic(renderSum(report, styleFor(process.stderr)));
}

async function writeReport(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError("cannot-run", `Failed to write the report to ${file}: ${why}.`);
  });
}

/** On a terminal, a line that counts while checks run. */
function createProgress(): Pick<AuditOptions, "onProgress" | "system"> & { readonly end: () => void } {
  const { stderr } = process;
  const counts = stderr.isTTY && (process.env["CI"] ?? "") === "";
  const { dim } = colorsFor(stderr);
  return {
    system: systemClock,
    onProgress(done, total) {
      if (counts) stderr.write(`\r\u001B[K${dim(`  ${done} of ${total} checks`)}`);
    },
    end() {
      if (counts) stderr.write("\r\u001B[K");
    },
  };
}
