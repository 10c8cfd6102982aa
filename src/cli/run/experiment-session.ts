import { join } from "node:path";
import type { Baseline } from "../../experiments/run/oracle.js";
import { Inconclusive } from "../../experiments/run/run-baseline.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";
import { UsageError } from "../../kernel/messages/problem.js";
import type { Style } from "../../kernel/messages/report.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import { EXIT } from "../shared/help.js";
import { createCounter, prepareOutput, printDiagnostic, styleFor, writeOutput } from "../shared/output.js";
import { createBench } from "./bench.js";
import type { ExperimentFlags, parseExperimentFlags } from "./experiment-options.js";
import { prepareStart } from "./prepare-start.js";
import { renderExec } from "./render-exec.js";
import type { StartFlags } from "./start-options.js";
import { exitCodeOfSignal, onStopSignal } from "./stop.js";

export type ParsedExperiment = ReturnType<typeof parseExperimentFlags>;

/** The runs of one command line. */
export type ExperimentSession = Awaited<ReturnType<typeof openSession>>;

/** Does the work until a signal; a second one ends the process. Returns the exit code. */
export async function inSession(
  verb: string,
  options: ParsedExperiment,
  flags: ExperimentFlags,
  work: (session: ExperimentSession) => Promise<number>,
): Promise<number> {
  const stop = new AbortController();
  let stoppedWith: number | undefined;
  const unsubscribe = onStopSignal((signal) => {
    stoppedWith = exitCodeOfSignal(signal);
    if (stop.signal.aborted) process.exit(stoppedWith);
    stop.abort();
  });
  try {
    const exitCode = await work(await openSession(verb, options, flags, stop.signal));
    return stoppedWith ?? exitCode;
  } catch (error) {
    if (!(error instanceof Inconclusive)) throw error;
    printDiagnostic(`sandbox: inconclusive: ${error.message}`);
    return stoppedWith ?? EXIT.inconclusive;
  } finally {
    unsubscribe();
  }
}

async function openSession(verb: string, options: ParsedExperiment, flags: ExperimentFlags, signal: AbortSignal) {
  const { command, folder } = options;
  const { seed, profile } = await readBase(verb, flags);
  const startFlags: StartFlags = { ...flags, seed: String(seed) };
  await prepareOutput("the reports", join(folder, "01.yaml"));
  const { run, forget } = createBench({ ...options, flags: startFlags });
  return {
    run,
    /** Settings that are not the defaults. */
    profile,
    settings: { ...options, seed, signal, system: systemClock },
    /** Forgets what was printed in the runs without a difference. */
    forgetBaselines: async () => {
      for (const id of ["baseline-1", "baseline-2"]) await forget(id);
    },
    /** Forgets what was printed in a run and its repetition, unless the report names it. */
    forget: async ({ id, output }: { readonly id: string; readonly output: string | null }) => {
      await forget(`${id}-again`);
      if (output === null) await forget(id);
    },
    /** Keeps a file that repeats a run, and returns the command line for it. */
    keep: async (id: string, text: string, flag: (file: string) => StartFlags): Promise<string> => {
      const file = join(folder, `${id}.yaml`);
      await writeOutput("the report", file, text);
      return renderExec(command, { ...startFlags, ...flag(file) }, flags.env);
    },
    progress: createProgress(),
  };
}

/** All runs have the seed of the user, or a fixed one, so that the sandbox does the same in each. */
async function readBase(
  verb: string,
  flags: StartFlags,
): Promise<{ readonly seed: number; readonly profile: ProfileOverrides }> {
  const { options, store } = await prepareStart(flags, { ...process.env, PORT: undefined });
  const why = `--store does not go with ${verb}: each run begins with the same state.`;
  if (store !== undefined) throw new UsageError("command-line", why);
  return { seed: options.seed ?? SEED_DEFAULT, profile: options.defaults.profile };
}

const SEED_DEFAULT = 1;

/** Progress on stderr: a line for each run, and on a terminal the number of those that are done. */
function createProgress() {
  const stream = process.stderr;
  const style = styleFor(stream);
  const counter = createCounter(stream);
  return {
    /** `total`: `16 faults`. */
    begin({ result: { ms, seen } }: Baseline, total: string): void {
      const [requests, webhooks] = [count(seen.requests.length, "request"), count(seen.deliveries.length, "webhook")];
      stream.write(`${style.faint(`${requests} and ${webhooks} in ${Math.round(ms)} ms; ${total} to try`)}\n`);
    },
    show(render: (style: Style) => string, done: number, total: number): void {
      stream.write(`${counter.clear}${render(style)}\n`);
      if (done < total) counter.show(`${done} of ${total}`);
    },
    end: () => void stream.write(counter.clear),
  };
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
