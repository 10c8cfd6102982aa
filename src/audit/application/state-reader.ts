import { type ChildProcess, spawn } from "node:child_process";
import { basicCredentials } from "../../adapters/delivery/http-client.js";
import { beyondBounds, type JsonBounds, parseJsonOrText } from "../../kernel/messages/json.js";
import { codeOf, reasonOf, UsageError, whyNotStarted } from "../../kernel/messages/problem.js";
import { readText } from "../../kernel/messages/read-text.js";
import { oneLine, parseUrl, shorten } from "../../kernel/messages/text.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { RESTART_MS, RESTART_POLL_MS } from "../wire/sender.js";

/** Prints the application's state: a URL, a command line, or a function of the test. */
export type StateSource = string | (() => unknown);

export interface ReadOptions {
  /** The option's name in messages, such as `--check`. */
  readonly name: string;
  /** The method of requests to a URL. Default: GET. */
  readonly method?: "GET" | "POST";
  readonly timeoutMs: number;
  readonly system: SystemClock;
}

const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;
/** Bounds what the comparison of two states costs, member by member. */
const STATE_BOUNDS: JsonBounds = { depth: 200, members: 1_000_000 };
const SHOWN_MAX = 300;

/**
 * Reads the application's state, or anything else that a URL or a command prints: JSON when it parses, else rows of text.
 *
 * A URL must answer 2xx; redirects are not followed. A command is run without a shell, unless it contains quotes, pipes or variables, and must exit with 0.
 * Throws UsageError("cannot-run") when nothing usable is printed.
 */
export async function readState(source: StateSource, options: ReadOptions): Promise<unknown> {
  if (typeof source === "function") return callFunction(source, options);
  if (source.trim() === "") throw failed(options, source, "it is empty. Give a URL or a command");
  const printed = isUrl(source) ? await readUrl(source, options) : await runCommand(source, options);
  const text = printed.trim();
  const state = parseState(text);
  const excess = beyondBounds(state, STATE_BOUNDS);
  if (excess !== undefined) throw failed(options, source, `what it printed ${excess}`);
  return state;
}

/** Parses JSON, or the rows of a table as databases print them. An empty text is a table without rows. */
function parseState(text: string): unknown {
  const state = parseJsonOrText(text);
  if (typeof state !== "string" || text.startsWith('"')) return state;
  return text
    .split(/\r?\n/)
    .filter((line) => !NO_ROW.test(line.trim()))
    .map(parseRow);
}

/** An empty line, a line between header and rows, or the number of rows, as databases print them. */
const NO_ROW = /^([-+|=: \u2500-\u257F]*|\(\d+ rows?\))$/;

function parseRow(printed: string): unknown {
  const line = BOXED.exec(printed)?.[1] ?? printed;
  const value = parseJsonOrText(line);
  if (typeof value !== "string") return value;
  const [, ...figure] = FIGURE.exec(line.trim()) ?? [];
  const cells = figure.length > 0 ? figure : line.split(THOUSANDS.test(line) ? /[\t|│]/ : /[\t|│]|,(?! )/);
  const columns = cells.length === 1 ? line.trim().split(ALIGNED) : cells;
  return columns.length === 1 ? line.trim() : columns.map((cell) => cell.trim());
}

/** A row with borders at both ends, as in Markdown and of `mysql -t` and `sqlite3 -box`. */
const BOXED = /^ *[|│](.*)[|│] *$/;

/** A number such as `10,000`, whose comma does not separate cells. In `7,123e4567-…` it does. */
const THOUSANDS = /(?<!\w-?)\d{1,3},\d{3}(?![\w-])/;

/** Between columns that are aligned by spaces, as `sqlite3 -column` does. */
const ALIGNED = / {2,}/;

/** `shipped: 3`, `revenue = 10000 XOF`, `orders_total{status="paid"} 3` */
const FIGURE = /^([^\d\t|│,]*[^\d\s\t|│,:=])(?:\s*[:=]\s*| +)(-?\d+(?:\.\d+)?)(?: ?[a-z]+)?$/i;

/** Runs a command or a function that restarts the application. Processes that it leaves behind when it has ended keep running. */
export async function runRestart(
  source: StateSource,
  options: Pick<ReadOptions, "timeoutMs" | "system">,
): Promise<void> {
  const named = { name: "--restart", ...options };
  if (typeof source === "function") {
    await callFunction(async () => {
      await source();
      return null;
    }, named);
    return;
  }
  await new Promise<void>((resolve, reject) => {
    const child = spawn(source, [], { shell: true, stdio: "ignore", detached: HAS_GROUPS });
    const stop = (): void => killGroup(child);
    process.once("exit", stop);
    const cancel = options.system.after(options.timeoutMs, () => {
      stop();
      reject(failed(named, source, `it did not end within ${options.timeoutMs} ms`));
    });
    const cleanUp = (): void => {
      cancel();
      process.off("exit", stop);
    };
    child.once("error", (error) => {
      cleanUp();
      reject(failed(named, source, error.message));
    });
    child.once("exit", (code, signal) => {
      cleanUp();
      child.unref();
      if (code === 0) resolve();
      else reject(failed(named, source, `it ended with ${code ?? signal}`));
    });
  });
}

function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source) && parseUrl(source) !== undefined;
}

/** Copies what the function returns, because the test may change the value later. */
async function callFunction(source: () => unknown, options: ReadOptions): Promise<unknown> {
  const refusal = (why: string): UsageError => failed(options, "the function", why);
  const value = await new Promise<unknown>((resolve, reject) => {
    const { system, timeoutMs } = options;
    const cancel = system.after(timeoutMs, () => reject(refusal(`it did not end within ${timeoutMs} ms`)));
    Promise.resolve().then(source).then(resolve, reject).finally(cancel);
  });
  const text = jsonOf(value);
  if (text === undefined) throw refusal("it must return a number or something else that JSON can represent");
  return JSON.parse(text);
}

/** Undefined for what JSON cannot represent, such as a function, a BigInt or a cycle. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** When a connection fails, the URL is asked again for a while: the application may be restarting by itself, as under a file watcher. */
async function readUrl(url: string, options: ReadOptions): Promise<string> {
  for (let waitedMs = 0; ; waitedMs += RESTART_POLL_MS) {
    try {
      return await fetchText(url, options);
    } catch (error) {
      const isCut = error instanceof Error && CUT.has(codeOf(error.cause));
      if (!isCut || waitedMs >= RESTART_MS)
        throw error instanceof UsageError ? error : failed(options, url, reasonOf(error));
    }
    await options.system.sleep(RESTART_POLL_MS);
  }
}

const CUT: ReadonlySet<string> = new Set(["ECONNREFUSED", "ECONNRESET", "UND_ERR_SOCKET"]);

async function fetchText(url: string, options: ReadOptions): Promise<string> {
  const signal = AbortSignal.timeout(options.timeoutMs);
  const { href, authorization } = withoutCredentials(url);
  try {
    const answer = await fetch(href, {
      method: options.method ?? "GET",
      redirect: "manual",
      signal,
      headers: { accept: "application/json", ...authorization },
    });
    const text = await readText(answer, OUTPUT_BYTES_MAX);
    if (answer.ok) return text;
    const shown = shorten(oneLine(text), SHOWN_MAX);
    throw failed(options, url, `it answered ${answer.status}${shown === "" ? "" : `: ${shown}`}`);
  } catch (error) {
    throw signal.aborted ? failed(options, url, `no answer came within ${options.timeoutMs} ms`) : error;
  }
}

/** fetch refuses `http://user:password@host`. */
function withoutCredentials(text: string): { href: string; authorization: Record<string, string> } {
  const url = new URL(text);
  const authorization = basicCredentials(url);
  url.username = "";
  url.password = "";
  return { href: url.href, authorization: authorization === undefined ? {} : { authorization } };
}

/** Characters that have a meaning in a shell. */
const FOR_A_SHELL = /[|&;<>()$`\\"'*?[\]#~=%!{}\n]/;

const HAS_GROUPS = process.platform !== "win32";

/** Ends a command with everything that it has started. */
function killGroup({ pid }: ChildProcess): void {
  try {
    // A negative id is that of a group.
    if (pid !== undefined) process.kill(HAS_GROUPS ? -pid : pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}

function runCommand(command: string, options: ReadOptions): Promise<string> {
  const needsShell = FOR_A_SHELL.test(command);
  const [program = "", ...args] = needsShell ? [command] : command.trim().split(/\s+/);
  return new Promise<string>((resolve, reject) => {
    // In a process group, so that everything it starts ends with it, and with this process.
    const child = spawn(program, args, { shell: needsShell, stdio: ["ignore", "pipe", "pipe"], detached: HAS_GROUPS });
    const stop = (): void => killGroup(child);
    process.once("exit", stop);
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    let size = 0;
    const settle = (why: string | undefined): void => {
      cancel();
      process.off("exit", stop);
      if (why === undefined) resolve(Buffer.concat(output).toString("utf8"));
      else reject(failed(options, command, why));
    };
    const end = (why: string): void => {
      stop();
      settle(why);
    };
    const cancel = options.system.after(options.timeoutMs, () => end(`it did not end within ${options.timeoutMs} ms`));
    const keep = (into: Buffer[]) => (piece: Buffer) => {
      size += piece.length;
      if (size > OUTPUT_BYTES_MAX) return end(`it printed more than ${OUTPUT_BYTES_MAX} bytes`);
      into.push(piece);
    };
    child.once("error", (error) => end(whyNotStarted(error)));
    // Without a free file descriptor there are no pipes, and the error comes later.
    child.stdout?.on("data", keep(output));
    child.stderr?.on("data", keep(errors));
    child.once("close", (code, signal) => {
      const printed = shorten(oneLine(Buffer.concat(errors).toString("utf8")), SHOWN_MAX);
      settle(code === 0 ? undefined : `it ended with ${code ?? signal}${printed === "" ? "" : `: ${printed}`}`);
    });
  }).catch((error: unknown) => {
    throw error instanceof UsageError ? error : failed(options, command, whyNotStarted(error));
  });
}

function failed({ name }: ReadOptions, source: string, why: string): UsageError {
  const shown = isUrl(source) ? withoutCredentials(source).href : source;
  return new UsageError("cannot-run", `Failed to read ${name} (${shown}): ${why}.`);
}
