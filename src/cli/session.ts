import { writeFile } from "node:fs/promises";
import { UsageError } from "../kernel/problem.js";
import type { PreparedStart } from "./prepare-start.js";
import type { RunningSandbox } from "./run-sandbox.js";
import { openVariables } from "./values.js";

/** What goes on beside the API: stories that are played, and a recording. Both are loaded only when asked for. */
export interface Session {
  /** Begins to play; what happened since the sandbox listens is met too. */
  play(): void;
  /** After the sandbox has stopped: nothing more comes. Throws UsageError("cannot-run") when the recording cannot be written. */
  end(): Promise<void>;
}

export async function beginSession({ sandbox, fetch, log }: RunningSandbox, prepared: PreparedStart): Promise<Session> {
  const { record, scenarios } = prepared;
  const recorder =
    record === undefined
      ? undefined
      : (await import("../scenarios/recorder.js")).startRecorder(sandbox, record.fixtures);
  const live =
    scenarios.length === 0
      ? undefined
      : await (
          await import("../scenarios/play-live.js")
        ).prepareLive(scenarios, { sandbox, fetch, log, env: openVariables(process.env) });
  return {
    // How each story ends is logged.
    play: () => void live?.play(),
    async end() {
      await live?.close();
      recorder?.stop();
      if (record === undefined || recorder === undefined) return;
      await writeFile(record.file, recorder.render()).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        throw new UsageError("cannot-run", `Failed to write the recording to ${record.file}: ${why}.`);
      });
      log.write("info", "recorded", {
        file: record.file,
        requests: recorder.size,
        message: `wrote ${recorder.size} requests to ${record.file}`,
      });
    },
  };
}
