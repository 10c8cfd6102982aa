import { rm } from "node:fs/promises";
import { join } from "node:path";
import { differ } from "../../experiments/run/differ.js";
import type { RunOnce } from "../../experiments/run/experiment.js";
import { watch } from "../../experiments/run/observe.js";
import { runProcess } from "../../experiments/run/run-process.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import { writeOutput } from "../shared/output.js";
import { type NamedCredential, variablesOf } from "./child-env.js";
import { prepareStart } from "./prepare-start.js";
import { beginSession, runSandbox } from "./run-sandbox.js";
import type { StartFlags } from "./start-options.js";

export interface BenchOptions {
  readonly command: readonly string[];
  readonly flags: StartFlags;
  readonly names: readonly NamedCredential[];
  /** A shell command that exits with 0 when all is well after a run. */
  readonly check: string | undefined;
  /** Keeps what the command prints, a file for each run. */
  readonly folder: string;
}

/** Runs the command of a user, each time beside a fresh sandbox on a free port. */
export function createBench({ command, flags, names, check, folder }: BenchOptions) {
  const outputOf = (id: string): string => join(folder, `${id}.txt`);
  const run: RunOnce = async (experiment, { timeoutMs, signal }) => {
    const prepared = await prepareStart({ port: "0", log: "silent", ...flags }, { ...process.env, PORT: undefined });
    const options = differ(prepared.options, experiment);
    const running = await runSandbox({ ...prepared, options }, { beside: true });
    const session = await beginSession(running, prepared);
    try {
      const finish = watch(running.sandbox);
      session.play();
      const env = { ...process.env, ...variablesOf(running.sandbox, running.url, names) };
      const limits = { timeoutMs, signal, env, system: systemClock };
      const { output: printed, ...ended } = await runProcess(command, limits);
      await writeOutput("the output", outputOf(experiment.id), printed);
      const seen = await finish();
      const checked =
        check === undefined || signal.aborted ? undefined : await runProcess([check], { ...limits, shell: true });
      return {
        ...ended,
        printed,
        seen,
        holds: checked === undefined ? null : checked.exitCode === 0,
        output: outputOf(experiment.id),
      };
    } finally {
      await running.stop();
      await session.end();
    }
  };
  return { run, forget: (id: string) => rm(outputOf(id), { force: true }) };
}
