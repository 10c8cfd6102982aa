import { join } from "node:path";
import type { Baseline } from "../../experiments/run/oracle.js";
import type { Kept } from "../../experiments/run/report-baseline.js";
import { Inconclusive } from "../../experiments/run/run-baseline.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";
import { redactErrors, UsageError } from "../../kernel/messages/problem.js";
import type { Style } from "../../kernel/messages/report.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import { EXIT } from "../shared/help.js";
import { createCounter, prepareOutput, printDiagnostic, styleFor, writeOutput } from "../shared/output.js";
import { createBench } from "./bench.js";
import type { ExperimentFlags, parseExperimentFlags } from "./experiment-options.js";
import { prepareStart } from "./prepare-start.js";
import { renderExec } from "./render-exec.js";
import { redactorOf } from "./run-sandbox.js";
import type { StartFlags } from "./start-options.js";
import { exitCodeOfSignal, onStopSignal } from "./stop.js";
import { pluralize } from "../../kernel/messages/text.js";

export type ParsedExperiment = ReturnType<typeof parseExperimentFlags>;

/** What the runs of one command line share. */
export type ExperimentSession = Awaited<ReturnType<typeof openSession>>;

/** Runs `work` to its end or until a signal; a second signal ends the process. Returns the exit code. */
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
    const exitCode = await withSession(verb, options, flags, stop.signal, work);
    return stoppedWith ?? exitCode;
  } catch (error) {
    if (!(error instanceof Inconclusive)) throw error;
    const file = join(options.folder, "baseline.txt");
    const where = error.printed === "" ? "" : ` What it printed is in ${file}.`;
    if (where !== "") {
      await prepareOutput("the output", file);
      await writeOutput("the output", file, error.printed);
    }
    printDiagnostic(`sandbox: inconclusive: ${error.message}${where}`);
    return stoppedWith ?? EXIT.inconclusive;
  } finally {
    unsubscribe();
  }
}

async function withSession(
  verb: string,
  options: ParsedExperiment,
  flags: ExperimentFlags,
  signal: AbortSignal,
  work: (session: ExperimentSession) => Promise<number>,
): Promise<number> {
  const base = await readBase(verb, flags);
  return redactErrors(base.redact, async () => work(await openSession(base, options, flags, signal)));
}

async function openSession(
  { seed, profile, redact }: Base,
  options: ParsedExperiment,
  flags: ExperimentFlags,
  signal: AbortSignal,
) {
  const { folder } = options;
  /** As reports show it. */
  const command = options.command.map(redact);
  const startFlags: StartFlags = { ...flags, seed: String(seed) };
  await prepareOutput("the reports", join(folder, "01.yaml"));
  return {
    run: createBench({ ...options, flags: startFlags }),
    /** Settings that are not the defaults. */
    profile,
    settings: { ...options, command, seed, signal, system: systemClock },
    /** Keeps `text` as a file that repeats a run when `flag` names it, and what the command printed. */
    keep: async (id: string, text: string, printed: string, flag: (file: string) => StartFlags): Promise<Kept> => {
      const file = join(folder, `${id}.yaml`);
      const output = printed === "" ? null : join(folder, `${id}.txt`);
      // The command may have removed the folder.
      await prepareOutput("the reports", file);
      await writeOutput("the reports", file, text);
      if (output !== null) await writeOutput("the output", output, printed);
      return { repeat: renderExec(command, { ...startFlags, ...flag(file) }, flags.env), output };
    },
    progress: createProgress(),
  };
}

interface Base {
  readonly seed: number;
  readonly profile: ProfileOverrides;
  readonly redact: (text: string) => string;
}

/** Reads the settings of all runs, and their seed: that of the user or a fixed one, so that the sandbox does the same in each run. */
async function readBase(verb: string, flags: StartFlags): Promise<Base> {
  const { options, store } = await prepareStart(flags, { ...process.env, PORT: undefined });
  const incompatible = (option: string, reason: string) =>
    new UsageError("command-line", `${option} does not go with ${verb}: ${reason}.`);
  if (store !== undefined) throw incompatible("--store", "each run begins with the same state");
  if (options.tenancy) throw incompatible("--tenancy", "each run has the same seed, so access tokens could be guessed");
  return { seed: options.seed ?? SEED_DEFAULT, profile: options.defaults.profile, redact: redactorOf(options).text };
}

const SEED_DEFAULT = 1;

/** Progress on stderr: a line for each run, and on a terminal the number of those that are done. */
function createProgress() {
  const stream = process.stderr;
  const style = styleFor(stream);
  const counter = createCounter(stream);
  return {
    /** `total` says what will be tried, such as `16 faults`. */
    begin({ result: { ms, seen } }: Baseline, total: string): void {
      const requests = pluralize(seen.requests.length, "request");
      const webhooks = pluralize(seen.deliveries.length, "webhook");
      stream.write(`${style.faint(`${requests} and ${webhooks} in ${Math.round(ms)} ms; ${total} to try`)}\n`);
    },
    show(render: (style: Style) => string, done: number, total: number): void {
      stream.write(`${counter.clear}${render(style)}\n`);
      if (done < total) counter.show(`${done} of ${total}`);
    },
    end: () => void stream.write(counter.clear),
  };
}
