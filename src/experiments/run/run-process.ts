import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { constants } from "node:os";
import { UsageError, whyNotStarted } from "../../kernel/messages/problem.js";
import { shorten } from "../../kernel/messages/text.js";
import { createIdSource } from "../../kernel/records/ids.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { findCrash } from "./find-crash.js";
import type { Ended, RunLimits } from "./experiment.js";

export interface ProcessOptions extends RunLimits {
  readonly system: SystemClock;
  readonly env: NodeJS.ProcessEnv;
  /** Runs the command in a shell. */
  readonly shell?: boolean;
}

export interface EndedProcess extends Ended {
  /** What it printed to stdout and stderr, at most the last {@link OUTPUT_MAX} bytes. */
  readonly output: string;
}

const OUTPUT_MAX = 256 * 1024;
/** The rest of a line whose beginning was cut off, or of a word of a long line. It may be the end of a secret, which nothing would recognise. */
const CUT_LINE = /^[^\n]*\n|^[^\s"]*[\s"]/;
const CUT_MAX = 8 * 1024;
/** The time between SIGTERM and SIGKILL. */
const GRACE_MS = 1_000;
/** How long to wait for the rest of the output after the processes have ended. */
const REST_MS = 200;
/** How often SIGKILL is sent to a group that starts processes faster than they end. */
const KILLS_MAX = 100;

const HAS_GROUPS = process.platform !== "win32";
/** The variable that names a run in the environments of its processes. */
const MARK = "SANDBOX_RUN";

/**
 * Runs a command in a process group of its own, without a terminal, to its end or the time limit; then all other processes of the group are ended, and on
 * Linux also those that have left the group. Throws UsageError("cannot-run") when it cannot be started.
 */
export function runProcess(command: readonly string[], options: ProcessOptions): Promise<EndedProcess> {
  const { env, system, timeoutMs, signal, shell = false } = options;
  const [program = "", ...args] = command;
  const startedAt = system.monotonic();
  return new Promise<EndedProcess>((resolve, reject) => {
    // In a run within a run the mark begins with that of the outer run, which so finds these processes too.
    const mark = `${env[MARK] ?? ""}${createIdSource(undefined, MARK).short("/run")}`;
    const child = spawn(program, args, {
      env: { ...env, [MARK]: mark },
      shell,
      stdio: ["ignore", "pipe", "pipe"],
      detached: HAS_GROUPS,
    });
    const group = createGroup(child.pid, mark, system);
    const all = new Tail(OUTPUT_MAX);
    const errors = new Tail(OUTPUT_MAX);
    let timedOut = false;
    const stop = (): void => void group.end();
    const cancel = system.after(timeoutMs, () => {
      timedOut = true;
      stop();
    });
    signal.addEventListener("abort", stop);
    process.once("exit", group.kill);
    if (signal.aborted) stop();
    const closed = new Promise<void>((close) => child.once("close", () => close()));
    const cleanUp = (): void => {
      cancel();
      signal.removeEventListener("abort", stop);
      process.off("exit", group.kill);
    };
    child.once("error", (error) => {
      cleanUp();
      reject(error);
    });
    // Without a free file descriptor there are no pipes, and the error comes later.
    child.stdout?.on("data", (piece: Buffer) => all.add(piece));
    child.stderr?.on("data", (piece: Buffer) => {
      all.add(piece);
      errors.add(piece);
    });
    child.once("exit", (code, endedBy) => {
      const ms = system.monotonic() - startedAt;
      void (async () => {
        // Processes that it left running end with it.
        await group.end();
        await Promise.race([closed, new Promise<void>((go) => system.after(REST_MS, go))]);
        // A process that has left the group may hold them open.
        child.stdout.destroy();
        child.stderr.destroy();
        cleanUp();
        const exitCode = code ?? 128 + (endedBy === null ? 0 : constants.signals[endedBy]);
        const wasStopped = timedOut || signal.aborted;
        const crash = wasStopped ? null : findCrash(code, endedBy, errors.text(), all.text());
        resolve({ exitCode: timedOut ? null : exitCode, crash, timedOut, ms, output: all.text() });
      })();
    });
  }).catch((error: unknown) => {
    throw new UsageError("cannot-run", `Failed to run ${shorten(program)}: ${whyNotStarted(error)}.`);
  });
}

/** A process with all processes that it started. */
function createGroup(pid: number | undefined, mark: string, system: SystemClock) {
  /** Sends a signal to all of them, and returns whether any was left. */
  const send = (signal: NodeJS.Signals | 0): boolean => {
    if (pid === undefined) return false;
    // A negative id is that of a group.
    const ids = [HAS_GROUPS ? -pid : pid, ...findMarked(mark)];
    return ids.map((id) => signalProcess(id, signal)).includes(true);
  };
  let ending: Promise<void> | undefined;
  const endNow = async (): Promise<void> => {
    if (!send("SIGTERM")) return;
    const until = system.monotonic() + GRACE_MS;
    while (send(0) && system.monotonic() < until) await system.sleep(10);
    send("SIGKILL");
    // Processes that were started in the meantime are killed in the next round.
    for (let round = 1; findMarked(mark).length > 0 && round < KILLS_MAX; round++) {
      await system.sleep(10);
      send("SIGKILL");
    }
  };
  return {
    kill: () => void send("SIGKILL"),
    /** Sends SIGTERM, and SIGKILL to processes that are still running after a while. */
    end: () => (ending ??= endNow()),
  };
}

/** False when there is no such process any more. */
function signalProcess(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(id, signal);
  } catch {
    return false;
  }
}

/** The processes of this user that were started with the mark in their environment. Only Linux shows them. */
function findMarked(mark: string): number[] {
  if (process.platform !== "linux") return [];
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => environmentOf(id).includes(`${MARK}=${mark}`)).map(Number);
}

function environmentOf(id: string): Buffer {
  try {
    return readFileSync(`/proc/${id}/environ`);
  } catch {
    return Buffer.alloc(0); // it has ended, or is of another user
  }
}

const PIECES_MAX = 1_000;

/** The last bytes of a stream. */
class Tail {
  readonly #bytesMax: number;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #dropped = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    // Pieces may be single bytes, and removing the first of a hundred thousand moves all others.
    if (this.#pieces.length > PIECES_MAX) this.#pieces.splice(0, Infinity, Buffer.concat(this.#pieces));
    // Drops whole pieces, as long as the others are enough.
    while (this.#bytes - (this.#pieces[0]?.length ?? 0) >= this.#bytesMax) {
      const { length } = this.#pieces.shift() ?? "";
      this.#bytes -= length;
      this.#dropped += length;
    }
  }

  text(): string {
    const all = Buffer.concat(this.#pieces);
    const more = Math.max(0, this.#bytes - this.#bytesMax);
    if (this.#dropped + more === 0) return all.toString("utf8");
    const cut = CUT_LINE.exec(all.subarray(more, more + CUT_MAX).toString("latin1"))?.[0] ?? "";
    const from = more + cut.length;
    return `… ${this.#dropped + from} bytes before this were left out\n${all.subarray(from).toString("utf8")}`;
  }
}
