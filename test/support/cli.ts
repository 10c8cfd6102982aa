import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { endWithFile } from "./children.js";
import type { LooseJson } from "./world.js";

/** Runs the built command (see build.ts) as a child process. */

export interface RunOptions {
  /** Variables in addition to PATH. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: a folder without a configuration. */
  readonly cwd?: string;
  /** Removes `cwd` before the command starts in it. */
  readonly removesCwd?: boolean;
  /** No file may grow beyond this many blocks of 512 bytes, as if the disk were full. */
  readonly fileBlocks?: number;
  /** It has at most this many file descriptors, connections included. */
  readonly openFiles?: number;
  /** Writes its stdout to this file. */
  readonly stdoutFile?: string;
}

export interface Finished {
  /** The exit code, or the name of the signal that ended it. */
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

export interface InputAndOutput {
  readonly stdin?: string | Uint8Array;
  /** Closes its stdout, as `| head` does. */
  readonly closeStdout?: boolean;
}

/** Runs `sandbox ARGS…` to its end. */
export async function runSandbox(
  args: readonly string[],
  { stdin = "", closeStdout = false, ...options }: RunOptions & InputAndOutput = {},
): Promise<Finished> {
  const child = spawnSandbox(args, options);
  if (closeStdout) child.stdout.destroy();
  // A command that does not read stdin may have closed it already.
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  const [code, stdout, stderr] = await Promise.all([
    exitOf(child),
    closeStdout ? "" : text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr };
}

/** Runs `sandbox start ARGS…`; it gets SIGTERM as soon as it listens. */
export function runUntilListening(args: readonly string[], { env, ...options }: RunOptions = {}): Promise<Finished> {
  return runSandbox(["start", ...args], { ...options, env: { NODE_OPTIONS: `--import ${stopWhenListening}`, ...env } });
}

/** A module that makes a listening process end itself. */
const stopWhenListening = `data:text/javascript,${encodeURIComponent(
  `import { Server } from "node:net";
   const { listen } = Server.prototype;
   Server.prototype.listen = function (...given) {
     this.once("listening", () => setImmediate(() => process.kill(process.pid, "SIGTERM")));
     return listen.apply(this, given);
   };`,
)}`;

/** A sandbox that runs until `stop` or the end of its test file. */
export interface StartedSandbox {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Its log lines since it listens, parsed. */
  readonly lines: readonly LooseJson[];
  /** Its stderr so far. */
  readonly stderr: string;
  /** Resolves with the first line of that event, past or future. */
  waitForLine(event: string): Promise<LooseJson>;
  signal(signal: NodeJS.Signals): void;
  /** Closes its stdout, as `| head` does. */
  closeStdout(): void;
  /** Leaves its stdout unread, without closing it. */
  stopReading(): void;
  /** Resolves with the exit code when it has ended. */
  readonly ended: Promise<number | string>;
  /** Like `ended`, but does not wait for the end of its output. */
  readonly exited: Promise<number | string>;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | string>;
}

/** Runs `sandbox start --port 0 --log json ARGS…`; resolves when it listens, rejects with its stderr when it ends before. */
export async function startSandbox(args: readonly string[] = [], options: RunOptions = {}): Promise<StartedSandbox> {
  const child = spawnSandbox(["start", "--port", "0", "--log", "json", ...args], options);
  const lines: LooseJson[] = [];
  const waiting = new Set<() => void>();
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(JSON.parse(line));
    for (const wake of waiting) wake();
  });
  const ended = exitOf(child);
  const exited = new Promise<number | string>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal ?? "unknown"));
  });

  const waitForLine = (event: string): Promise<LooseJson> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = lines.find((line) => line.event === event);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      void ended.then((code) => reject(new Error(`sandbox ended with ${code} and no line "${event}": ${stderr}`)));
    });

  const { url } = await waitForLine("listening");
  return {
    url,
    lines,
    get stderr() {
      return stderr;
    },
    waitForLine,
    signal: (signal) => void child.kill(signal),
    closeStdout: () => void child.stdout.destroy(),
    stopReading: () => void child.stdout.removeAllListeners("data").pause(),
    ended,
    exited,
    stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const emptyFolder = fileURLToPath(new URL(".", import.meta.url));

function spawnSandbox(
  args: readonly string[],
  { env, cwd = emptyFolder, removesCwd = false, fileBlocks, openFiles, stdoutFile }: RunOptions,
): ChildProcessWithoutNullStreams {
  const failure = process.env["SANDBOX_BUILD_FAILURE"];
  if (failure !== undefined) throw new Error(`The command could not be built: ${failure}`);
  const limit = (option: string, most: number | undefined) =>
    most === undefined ? [] : ["sh", "-c", `ulimit ${option} ${most}; exec "$@"`, "sh"];
  const redirected =
    stdoutFile === undefined ? [] : ["sh", "-c", 'file=$1; shift; exec "$@" >"$file"', "sh", stdoutFile];
  const removed = removesCwd ? ["sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh"] : [];
  const [program = "", ...words] = [
    ...limit("-f", fileBlocks),
    ...limit("-n", openFiles),
    ...redirected,
    ...removed,
    process.execPath,
    `${root}bin/sandbox.js`,
    ...args,
  ];
  const child = spawn(program, words, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", ...env },
  });
  endWithFile(child);
  return child;
}

/** Resolves when its output has been read to the end. */
function exitOf(child: ChildProcessWithoutNullStreams): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? signal ?? "unknown"));
  });
}

/** A verb that runs until it is stopped. */
export interface FollowedSandbox {
  /** Its stdout and stderr so far. */
  readonly output: string;
  /** Resolves with the output once it has the text; rejects when the process ends without it. */
  waitForText(text: string): Promise<string>;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<number | string>;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | string>;
}

/** Runs `sandbox ARGS…`. */
export function followSandbox(args: readonly string[], options: RunOptions = {}): FollowedSandbox {
  const child = spawnSandbox(args, options);
  const waiting = new Set<() => void>();
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      for (const wake of waiting) wake();
    });
  }
  const ended = exitOf(child);
  return {
    get output() {
      return output;
    },
    waitForText: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!output.includes(text)) return;
          waiting.delete(look);
          resolve(output);
        };
        waiting.add(look);
        look();
        void ended.then((code) => reject(new Error(`sandbox ended with ${code} without "${text}": ${output}`)));
      }),
    signal: (signal) => void child.kill(signal),
    ended,
    stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}
