import { differ } from "../../experiments/run/differ.js";
import type { RunOnce } from "../../experiments/run/experiment.js";
import { watch } from "../../experiments/run/observe.js";
import { runProcess } from "../../experiments/run/run-process.js";
import { systemClock } from "../../kernel/time/system-clock.js";
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
}

const BROKEN_BASE64 = /(?<![\w+/-])[\w+/-]{16}[\w+/-]*(?:\r?\n[\w+/-]+)+/g;

/** Runs the command of a user, each time beside a fresh sandbox on a free port. */
export function createBench({ command, flags, names, check }: BenchOptions): RunOnce {
  return async (experiment, { timeoutMs, signal }) => {
    const prepared = await prepareStart({ port: "0", log: "silent", ...flags }, { ...process.env, PORT: undefined });
    const options = differ(prepared.options, experiment);
    const running = await runSandbox({ ...prepared, options }, { beside: true });
    const session = await beginSession(running, prepared);
    try {
      const finish = watch(running.sandbox, { playsScenarios: prepared.scenarios.length > 0 });
      session.play();
      const env = { ...process.env, ...variablesOf(running.sandbox, running.url, names) };
      const limits = { timeoutMs, signal, env, system: systemClock };
      const { output: printed, ...ended } = await runProcess(command, limits);
      const seen = await finish();
      const checked =
        check === undefined || signal.aborted ? undefined : await runProcess([check], { ...limits, shell: true });
      const { text } = running.sandbox.redactor;
      // The output is kept in a file. It is redacted line by line, because a line that holds an encoded secret is redacted as a whole. Base64 that an
      // encoder has broken into lines is redacted first.
      const lines = (printed + (checked?.output ?? "")).replaceAll(BROKEN_BASE64, text).split("\n");
      return {
        ...ended,
        printed: lines.map(text).join("\n"),
        seen,
        holds: checked === undefined ? null : checked.exitCode === 0,
      };
    } finally {
      await running.stop();
      await session.end();
    }
  };
}
