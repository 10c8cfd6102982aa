import { writeFile } from "node:fs/promises";
import { UsageError } from "../../kernel/problem.js";
import type { PreparedStart } from "./prepare-start.js";
import { openVariables } from "../shared/values.js";
import type { Store } from "../../adapters/store/store.js";
import { createAuditor } from "../../audit/auditor.js";
import { createInProcessFetch } from "../../http/server/in-process-fetch.js";
import type { Log } from "../../kernel/log.js";
import { systemClock } from "../../kernel/system-clock.js";
import type { StoredSandbox } from "../../sandbox/state/company-record.js";
import type { ResolvedOptions } from "../../sandbox/config/options.js";
import { narrate } from "../../sandbox/narrate.js";
import { SecretRedactor, secretTexts } from "../../sandbox/observation/redact.js";
import { Sandbox } from "../../sandbox/sandbox.js";
import { type LineLog, type LogPlace, type LogSource, createLog } from "./log.js";
import { createReplayer } from "../../scenarios/replayer.js";
import type { Fetch } from "../../scenarios/run/sandbox-target.js";
import { stopGracefully } from "./stop.js";
import { isApiProblem } from "../../domain/model/problem-codes.js";
import { createApp } from "../../http/server/app.js";
import { type Listener, listen } from "../../http/server/listen.js";

/** A sandbox that answers in this process. */
export interface RunningSandbox {
  readonly sandbox: Sandbox;
  /** `http://127.0.0.1:4010` */
  readonly url: string;
  /** Whoever runs it opens it. */
  readonly log: LineLog;
  /** Its door without a socket. */
  readonly fetch: Fetch;
  /** What is in flight is finished first, within bounds. */
  stop(): Promise<void>;
}

/** Throws UsageError("cannot-run") when it cannot listen, UsageError("file") when what its companies begin with does not fit together. */
export async function runSandbox(
  { serve, options, log: choice, store: storeFile }: PreparedStart,
  logPlace?: LogPlace,
): Promise<RunningSandbox> {
  let source = sourceBefore(options);
  const log = createLog(choice, () => source, logPlace);
  // Its address first: what a company begins with may already hold links to it.
  const server = await listen({ ...serve, log, overrideGlobalObjects: true });
  const store =
    storeFile === undefined
      ? undefined
      : await openStore(storeFile, `sandbox ${logPlace?.beside === true ? "exec" : "start"}`, server, log);
  const { sandbox, fetch, replayer } = await build(server, store, options, log);
  source = sourceOf(sandbox);
  const narrator = narrate(sandbox);
  const stop = async (): Promise<void> => {
    await stopGracefully(server, sandbox, { log, narrator });
    await replayer.close();
  };
  return { sandbox, url: server.url, log, fetch, stop };
}

/** While there is no sandbox yet. */
function sourceBefore({ companies, adminToken }: ResolvedOptions): LogSource {
  const redactor = new SecretRedactor([...companies.flatMap(secretTexts), adminToken ?? ""]);
  return { now: () => systemClock.now(), home: undefined, redact: redactor.text };
}

function sourceOf(sandbox: Sandbox): LogSource {
  return {
    now: () => sandbox.companies[0]?.now() ?? systemClock.now(),
    get home() {
      return sandbox.companies[0]?.id;
    },
    redact: sandbox.redactor.text,
  };
}

/** Loaded only when there is one. */
async function openStore(path: string, name: string, server: Listener, log: Log): Promise<Store<StoredSandbox>> {
  try {
    const [{ openFileStore }, { createStoreFormat }] = await Promise.all([
      import("../../adapters/store/file-store.js"),
      import("../../sandbox/state/store-format.js"),
    ]);
    return await openFileStore({ path, format: createStoreFormat(systemClock), system: systemClock, log, name });
  } catch (error) {
    await server.close();
    throw error;
  }
}

async function build(server: Listener, store: Store<StoredSandbox> | undefined, options: ResolvedOptions, log: Log) {
  try {
    const sandbox = new Sandbox(options, { log, url: server.url, ...(store === undefined ? {} : { store }) });
    const fetch = createInProcessFetch(() => app);
    const replayer = createReplayer({ sandbox, fetch, folder: ".", env: openVariables(process.env) });
    const app = createApp(sandbox, { replayer, auditor: createAuditor(sandbox.system) });
    server.answerWith(app);
    return { sandbox, fetch, replayer };
  } catch (error) {
    await Promise.all([server.close(), store?.close()]);
    // What the files ask for is right by itself, and not together: two charges with one externalId, say.
    const isTheirs = isApiProblem(error) || (error instanceof UsageError && error.kind !== "cannot-run");
    throw isTheirs ? new UsageError("file", `Failed to set up the companies: ${error.messages.join("; ")}`) : error;
  }
}

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
      : (await import("../../scenarios/recorder.js")).startRecorder(sandbox, record.fixtures);
  const live =
    scenarios.length === 0
      ? undefined
      : await (
          await import("../../scenarios/play-live.js")
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
