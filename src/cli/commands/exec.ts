import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import { UsageError } from "../../kernel/problem.js";
import { toIso } from "../../kernel/instant.js";
import type { Exchange } from "../../sandbox/exchange.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { printDiagnostic } from "../output.js";
import { prepareStart } from "../prepare-start.js";
import { runSandbox } from "../run-sandbox.js";
import { beginSession } from "../session.js";
import type { StartFlags } from "../start-options.js";
import { parseChoice } from "../values.js";

export interface ExecFlags extends StartFlags {
  /** `NAME=url|token|company|secret` */
  readonly env?: readonly string[];
  /** A folder. */
  readonly report?: string;
}

/** `sandbox exec -- COMMAND`: runs a command beside a sandbox of its own. Returns the command's code. */
export async function exec(command: readonly string[], flags: ExecFlags): Promise<number> {
  const [program, ...args] = command;
  if (program === undefined) throw new UsageError("command-line", "exec needs a command: sandbox exec -- npm test.");
  const names = (flags.env ?? []).map(parseEnv);
  // A port that is free, unless one is asked for: any number of these run at the same time. PORT is the child's.
  const prepared = await prepareStart({ port: "0", log: "silent", ...flags }, { ...process.env, PORT: undefined });
  const running = await runSandbox(prepared, { beside: true });
  const session = await beginSession(running, prepared);
  session.play();
  const tally = createTally(running.sandbox);
  try {
    const code = await runChild(program, args, { ...process.env, ...variablesOf(running.sandbox, running.url, names) });
    const summary = tally.summary();
    printDiagnostic(renderSummary(summary));
    if (flags.report !== undefined) await writeReport(flags.report, summary, code);
    return code;
  } finally {
    await running.stop();
    await session.end();
  }
}

const CREDENTIALS = ["url", "token", "company", "secret"] as const;
type Credential = (typeof CREDENTIALS)[number];

function parseEnv(text: string): { name: string; credential: Credential } {
  const [, name, what] = /^([A-Za-z_]\w*)=(.*)$/.exec(text) ?? [];
  if (name === undefined || what === undefined) {
    throw new UsageError(
      "command-line",
      `--env must be NAME=${CREDENTIALS.join("|")}, such as PAYMENTS_URL=url, got "${text}".`,
    );
  }
  return { name, credential: parseChoice(`--env ${name}=`, what, CREDENTIALS) };
}

function variablesOf(
  sandbox: Sandbox,
  url: string,
  names: readonly { name: string; credential: Credential }[],
): Record<string, string> {
  const { id, tokens, secretKey } = sandbox.defaultCompany.record.identity;
  const values: Record<Credential, string> = { url, token: tokens[0]?.token ?? "", company: id, secret: secretKey };
  return {
    SANDBOX_URL: values.url,
    SANDBOX_ACCESS_TOKEN: values.token,
    SANDBOX_COMPANY_ID: values.company,
    SANDBOX_SECRET_KEY: values.secret,
    ...Object.fromEntries(names.map(({ name, credential }) => [name, values[credential]])),
  };
}

/** Its output is its own; signals go on to it. Throws UsageError("cannot-run") when it cannot be started. */
function runChild(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "inherit", env });
    // From a terminal Ctrl-C reaches the whole group by itself; twice would be one time too many.
    const onInterrupt = (): void => void (process.stdin.isTTY || child.kill("SIGINT"));
    const onTerminate = (): void => void child.kill("SIGTERM");
    const onHangUp = (): void => void child.kill("SIGHUP");
    process.on("SIGINT", onInterrupt).on("SIGTERM", onTerminate).on("SIGHUP", onHangUp);
    const done = (): void => {
      process.off("SIGINT", onInterrupt).off("SIGTERM", onTerminate).off("SIGHUP", onHangUp);
    };
    child.once("error", (error: NodeJS.ErrnoException) => {
      done();
      const why = error.code === "ENOENT" ? "there is no such command" : error.message;
      reject(new UsageError("cannot-run", `Failed to run ${program}: ${why}.`));
    });
    child.once("exit", (code, signal) => {
      done();
      // As a shell reports a command that a signal ended.
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

interface Summary {
  readonly requests: number;
  /** Status class → count: `2xx`. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly webhooks: {
    readonly delivered: number;
    readonly unacknowledged: readonly { topic: string; url: string; error: string }[];
  };
  readonly clock: string;
}

/** Counts what the command asked, and what became of the webhooks it caused. */
function createTally(sandbox: Sandbox): { summary(): Summary } {
  const statuses: Record<string, number> = {};
  let requests = 0;
  sandbox.listen(({ status }: Exchange) => {
    requests++;
    const kind = `${Math.floor(status / 100)}xx`;
    statuses[kind] = (statuses[kind] ?? 0) + 1;
  });
  return {
    summary() {
      const deliveries = sandbox.companies.flatMap(({ world }) => world.deliveries.values());
      const unacknowledged = deliveries
        .filter(({ status }) => status === "pending" || status === "exhausted")
        .map(({ topic, url, attempts }) => ({ topic, url, error: attempts.at(-1)?.error ?? "not sent yet" }));
      const delivered = deliveries.filter(({ status }) => status === "succeeded").length;
      return {
        requests,
        statuses,
        webhooks: { delivered, unacknowledged },
        clock: toIso(sandbox.defaultCompany.now()),
      };
    },
  };
}

const UNACKNOWLEDGED_SHOWN = 5;

function renderSummary({ requests, statuses, webhooks }: Summary): string {
  const kinds = Object.entries(statuses).sort(([a], [b]) => a.localeCompare(b));
  const counted = kinds.length === 0 ? "" : ` (${kinds.map(([kind, count]) => `${count} × ${kind}`).join(", ")})`;
  const asked = `${requests} ${requests === 1 ? "request" : "requests"}${counted}`;
  const delivered = `${webhooks.delivered} ${webhooks.delivered === 1 ? "webhook" : "webhooks"} acknowledged`;
  const lines = [`sandbox: ${asked}, ${delivered}`];
  for (const { topic, url, error } of webhooks.unacknowledged.slice(0, UNACKNOWLEDGED_SHOWN)) {
    lines.push(`sandbox: not acknowledged: ${topic} to ${url}: ${error}`);
  }
  const more = webhooks.unacknowledged.length - UNACKNOWLEDGED_SHOWN;
  if (more > 0) lines.push(`sandbox: … and ${more} more`);
  return lines.join("\n");
}

/** "`exec` returns its child's code when that is not 0": also when there is no room for a report. */
async function writeReport(folder: string, summary: Summary, code: number): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "sandbox.json"), `${JSON.stringify(summary, undefined, 2)}\n`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `Failed to write the report to ${folder}: ${why}.`;
    if (code === 0) throw new UsageError("cannot-run", message);
    printDiagnostic(`sandbox: ${message}`);
  }
}
