import { type ChildProcess, spawn } from "node:child_process";
import { resolve } from "node:path";
import { createHarFile } from "../../adapters/har/har-file.js";
import { isTurnedAway } from "../../contract/problems.js";
import { endHolds } from "../../domain/rules/holds.js";
import { messageOf, redactErrors, UsageError, whyNotStarted } from "../../kernel/messages/problem.js";
import { shorten } from "../../kernel/messages/text.js";
import { watchArchive } from "../../sandbox/archive.js";
import { settle } from "../../sandbox/company/advance.js";
import { RunWatch } from "../../sandbox/run-report.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { renderExecReport, prepareExecReport, writeExecReport } from "../run/exec-report.js";
import { type GateFlags, type Gates, addFindingGates, judgeGates, parseGates } from "../shared/gates.js";
import { type NamedCredential, parseEnv, variablesOf } from "../run/child-env.js";
import { dashboardOf, openBrowser } from "../run/startup-screen.js";
import { type Verb, addClosing } from "../shared/help.js";
import { assertReplacesNone, prepareOutput, printDiagnostic } from "../shared/output.js";
import { type PreparedStart, prepareStart } from "../run/prepare-start.js";
import { exitCodeOfSignal, onStopSignal } from "../run/stop.js";
import { beginSession, redactorOf, runSandbox } from "../run/run-sandbox.js";
import { addStartOptions, type StartFlags } from "../run/start-options.js";

export const verb: Verb = (command, exitWith) => {
  command
    .description(
      "Starts a sandbox on a free port, runs a command with SANDBOX_URL,\nSANDBOX_ACCESS_TOKEN, SANDBOX_COMPANY_ID and SANDBOX_SECRET_KEY set, and stops.\nExits with the command's code.",
    )
    .usage("[options] -- <command> [arg...]")
    .argument("<command...>", "what to run, with its arguments, after --")
    .option("--env <name=what...>", "also set NAME to the url, token, company or secret")
    .option("--report <folder>", "write what was seen to FOLDER/sandbox.json\nand FOLDER/coverage.md")
    .option("--har <file>", "write requests and webhooks as an HTTP archive (HAR 1.2)");
  addFindingGates(command).option("--fail-under <percent>", "exit with 5 if less of the contract is covered");
  addStartOptions(command).action(async (words: readonly string[], flags: ExecFlags) =>
    exitWith(await exec(words, flags)),
  );
  addClosing(
    command,
    `Examples:
  sandbox exec -- npm test
  sandbox exec --clock frozen --fail-on findings -- pytest
  sandbox exec --env API_URL=url --env API_KEY=token -- go test ./...`,
  );
};

/** How long to wait for deliveries in flight when the command has ended. */
const LAST_DELIVERIES_MS = 1_000;

interface ExecFlags extends StartFlags, GateFlags {
  /** `NAME=url|token|company|secret` */
  readonly env?: readonly string[];
  readonly report?: string;
  readonly har?: string;
}

/** Runs a command beside a sandbox. Returns the command's exit code, or that of a failed gate. */
async function exec(command: readonly string[], flags: ExecFlags): Promise<number> {
  if ((command[0] ?? "") === "")
    throw new UsageError("command-line", "exec needs a command: sandbox exec -- npm test.");
  const names = (flags.env ?? []).map(parseEnv);
  const gates = parseGates(flags);
  assertDistinctOutputs(flags);
  if (flags.report !== undefined) await prepareExecReport(flags.report);
  if (flags.har !== undefined) await prepareOutput("the archive", flags.har);
  // A free port by default, so that several sandboxes can run at the same time. PORT is meant for the command.
  const prepared = await prepareStart({ port: "0", log: "silent", ...flags }, { ...process.env, PORT: undefined });
  if (flags.har !== undefined) await assertReplacesNone("--har", flags.har, prepared.inputs);
  const { text } = redactorOf(prepared.options);
  return redactErrors(text, () => runBeside(prepared, command, { ...flags, names, gates }));
}

interface RunOptions extends ExecFlags {
  readonly names: readonly NamedCredential[];
  readonly gates: Gates;
}

async function runBeside(
  prepared: PreparedStart,
  [program = "", ...args]: readonly string[],
  { names, gates, report, har }: RunOptions,
): Promise<number> {
  const running = await runSandbox(prepared, { beside: true });
  const session = await beginSession(running, prepared);
  let code = 0;
  /** The command's own failure takes precedence over one of ours. */
  const throwOrPrint = (error: unknown): void => {
    if (code === 0) throw error;
    printDiagnostic(running.sandbox.redactor.text(`sandbox: ${messageOf(error)}`));
  };
  try {
    running.log.open();
    if (prepared.open) openBrowser(dashboardOf(running.url), running.log);
    session.play();
    let wasCalled = false;
    let wasLetIn = false;
    running.sandbox.events.on("exchange", ({ exchange: { operation, status, connection } }) => {
      // What a played scenario requests, which it does in process, says nothing about the command.
      if (connection === undefined && prepared.scenarios.length > 0) return;
      wasCalled = true;
      wasLetIn ||= operation !== undefined && !isTurnedAway(status);
    });
    const watch = new RunWatch(running.sandbox, [...prepared.options.allow, ...gates.allow]);
    const closeArchive = har === undefined ? undefined : await openArchive(running.sandbox, har);
    const env = { ...process.env, ...variablesOf(running.sandbox, running.url, names) };
    code = await runChild(program, args, env, running.sandbox);
    const { companies } = running.sandbox;
    for (const company of companies) company.run(endHolds, undefined);
    await Promise.all(companies.map((company) => settle(company, { maxWaitMs: LAST_DELIVERIES_MS })));
    const seen = watch.report(true);
    printDiagnostic(renderExecReport(seen, { coverage: gates.minPercent !== undefined }));
    const judged = judgeGates(gates, {
      findings: seen.findings,
      percent: seen.coverage.percent,
      unjudged: !wasCalled ? NEVER_CALLED : wasLetIn ? undefined : TURNED_AWAY,
    });
    if (report !== undefined) await writeExecReport(report, seen).catch(throwOrPrint);
    await closeArchive?.().catch(throwOrPrint);
    return code === 0 ? judged : code;
  } finally {
    try {
      await running.stop().catch(throwOrPrint);
    } finally {
      await session.end().catch(throwOrPrint);
    }
  }
}

/** Two outputs must not have the same place, because each replaces what is there. */
function assertDistinctOutputs({ har, record, report }: ExecFlags): void {
  const outputs = { har, record, report };
  const seen = new Map<string, string>();
  for (const [name, path] of Object.entries(outputs)) {
    if (typeof path !== "string") continue;
    const same = seen.get(resolve(path));
    if (same !== undefined)
      throw new UsageError("command-line", `--${same} and --${name} name the same place, ${path}. Name two.`);
    seen.set(resolve(path), name);
  }
}

/** Writes requests and webhooks from now on, each as it comes, since all of them may not fit into memory. The returned function closes the archive. */
async function openArchive(sandbox: Sandbox, file: string): Promise<() => Promise<void>> {
  let failure: string | undefined;
  const archive = await createHarFile(file, (why) => (failure = why));
  watchArchive(sandbox, (exchange) => archive.add(exchange));
  return async () => {
    await archive.close();
    if (failure === undefined) return;
    throw new UsageError("cannot-run", `Failed to write ${archive.lost} requests and webhooks to ${file}: ${failure}.`);
  };
}

const NEVER_CALLED = "the sandbox was never called. Does the command call the address in SANDBOX_URL?";
const TURNED_AWAY =
  "each request had an unknown path, or a wrong access token or company. Does the command use SANDBOX_ACCESS_TOKEN and SANDBOX_COMPANY_ID?";

/** Runs the command and forwards signals. Throws UsageError("cannot-run") if it cannot be started. */
function runChild(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { store, redactor }: Sandbox,
): Promise<number> {
  let child: ChildProcess | undefined;
  // Listens before the command starts: otherwise a signal meanwhile would end this process alone.
  const stopForwarding = onStopSignal((signal) => {
    // On a terminal Ctrl-C and Ctrl-\ reach the whole process group.
    const isSentToAll = process.stdin.isTTY && (signal === "SIGINT" || signal === "SIGQUIT");
    if (!isSentToAll) child?.kill(signal);
  });
  const ended = new Promise<number>((resolve, reject) => {
    child = spawn(program, args, { stdio: "inherit", env, signal: store.lost });
    child.once("error", reject);
    // The code that a shell returns for a signal.
    child.once("exit", (code, signal) => resolve(code ?? (signal === null ? 128 : exitCodeOfSignal(signal))));
  });
  return ended.finally(stopForwarding).catch((error: unknown) => {
    const failed = `Failed to run ${shorten(program)}: ${whyNotStarted(error)}.`;
    throw new UsageError("cannot-run", redactor.text(failed));
  });
}
