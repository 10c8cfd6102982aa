import { UsageError } from "../../kernel/messages/problem.js";
import type { PreparedStart } from "./prepare-start.js";
import { dirname, isAbsolute, relative } from "node:path";
import { isSameFile, writeOutput } from "../shared/output.js";
import { openOwnTarget } from "../shared/own-target.js";
import { openVariables } from "../shared/values.js";
import type { World } from "../../domain/model/work.js";
import type { Store } from "../../adapters/store/store.js";
import { createInProcessFetch } from "../../http/server/in-process-fetch.js";
import type { Log } from "../../kernel/log.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import type { StoredSandbox } from "../../sandbox/state/company-record.js";
import type { ResolvedOptions } from "../../sandbox/config/options.js";
import { logActivity } from "../../sandbox/activity-log.js";
import { SecretRedactor, secretTexts } from "../../sandbox/observation/redact.js";
import { Sandbox } from "../../sandbox/sandbox.js";
import { type LogPlace, type LogSource, createLog } from "./log.js";
import type { Recorder } from "../../scenarios/record/recorder.js";
import { createReplayer } from "../../scenarios/replayer.js";
import { stopGracefully } from "./stop.js";
import { isApiProblem } from "../../domain/model/problem-codes.js";
import { clientOf } from "../../http/api/answer.js";
import { createApp } from "../../http/server/app.js";
import { type Listener, listen } from "../../http/server/listen.js";
import { pluralize } from "../../kernel/messages/text.js";

export type RunningSandbox = Awaited<ReturnType<typeof runSandbox>>;

/** Starts a sandbox. Throws UsageError("cannot-run") when it cannot listen, and UsageError("file") when the initial states of companies conflict. */
export async function runSandbox(
  { serve, options, log: choice, store: storeFile, drainMs }: PreparedStart,
  logPlace?: LogPlace,
) {
  let source = sourceBefore(options);
  const log = createLog(choice, () => source, logPlace);
  // Listens first, since the initial state of a company may contain links to the address.
  const server = await listen({ ...serve, log, overrideGlobalObjects: true });
  const store =
    storeFile === undefined
      ? undefined
      : await openStore(storeFile, `sandbox ${logPlace?.beside === true ? "exec" : "start"}`, server, log);
  const loaded = storeFile === undefined || store === undefined ? undefined : describeLoaded(storeFile, store.data);
  const { sandbox, fetch, replayer } = await build(server, store, options, log);
  source = sourceOf(sandbox);
  sandbox.metrics.watchLoop();
  const flushLog = logActivity(sandbox);
  /** Finishes requests and deliveries in flight, within bounds. */
  const stop = async (): Promise<void> => {
    try {
      await stopGracefully(server, sandbox, { log, flushLog, drainMs });
    } finally {
      await replayer.close();
    }
  };
  return { sandbox, url: server.url, log, fetch, loaded, stop };
}

function sourceBefore(options: ResolvedOptions): LogSource {
  return { now: () => systemClock.now(), home: undefined, redact: redactorOf(options).text };
}

/** Redacts the credentials that the options name. */
export function redactorOf({ companies, adminToken }: ResolvedOptions): SecretRedactor {
  return new SecretRedactor([...companies.flatMap(secretTexts), adminToken ?? ""]);
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

async function openStore(path: string, name: string, server: Listener, log: Log): Promise<Store<StoredSandbox>> {
  const { openFileStore } = await import("../../adapters/store/file-store.js");
  const { createStoreFormat } = await import("../../sandbox/state/store-format.js");
  try {
    return await openFileStore({ path, format: createStoreFormat(systemClock), system: systemClock, log, name });
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** `file:state.json (3 charges, 1 transfer)` */
function describeLoaded(file: string, { companies }: StoredSandbox): string {
  const worlds = [...companies.values()].map(({ record }) => record.world);
  const sum = (of: (world: World) => number): number => worlds.reduce((total, world) => total + of(world), 0);
  const charges = pluralize(
    sum((world) => world.charges.size),
    "charge",
  );
  const transfers = pluralize(
    sum((world) => world.transfers.size),
    "transfer",
  );
  return `file:${file} (${worlds.length === 0 ? "new" : `${charges}, ${transfers}`})`;
}

async function build(server: Listener, store: Store<StoredSandbox> | undefined, options: ResolvedOptions, log: Log) {
  try {
    const sandbox = new Sandbox(options, { log, url: server.url, ...(store === undefined ? {} : { store }) });
    const fetch = createInProcessFetch(() => app);
    const replayer = createReplayer({ sandbox, fetch, folder: ".", env: openVariables() });
    const app = createApp(sandbox, { replayer });
    server.answerWith(app, (authorization) => clientOf(sandbox, authorization));
    return { sandbox, fetch, replayer };
  } catch (error) {
    await Promise.all([store?.discard(), server.close()]);
    throw asFileProblem(error);
  }
}

/** Valid files may still conflict, such as two charges with the same externalId. */
export function asFileProblem(error: unknown): unknown {
  const isInput = isApiProblem(error) || (error instanceof UsageError && error.kind !== "cannot-run");
  return isInput ? new UsageError("file", `Failed to set up the companies: ${error.messages.join("; ")}`) : error;
}

/** Prepares scenarios for playing, and starts the recording. When that fails, it stops the sandbox and throws. */
export async function beginSession(running: RunningSandbox, prepared: PreparedStart) {
  try {
    return await prepareSession(running, prepared);
  } catch (error) {
    await running.stop();
    throw error;
  }
}

async function prepareSession({ sandbox, fetch, log }: RunningSandbox, { record, store, scenarios }: PreparedStart) {
  // The recording would replace the store. The store's file is there by now, so a link to it shows.
  if (record !== undefined && store !== undefined && (await isSameFile(record.file, store)))
    throw new UsageError("command-line", `--record and --store name the same file, ${store}. Name two.`);
  const recorder = record && (await startRecording(sandbox, record));
  const env = openVariables();
  const live =
    scenarios.length === 0
      ? undefined
      : await (await import("../../scenarios/play-live.js")).prepareLive(scenarios, { sandbox, fetch, log, env });
  return {
    /** Plays the scenarios; the log has each result. */
    play: () => void live?.play(),
    /** Writes the recording after the sandbox has stopped. Throws UsageError("cannot-run"). */
    async end(): Promise<void> {
      await live?.close();
      if (record === undefined || recorder === undefined) return;
      await writeRecording(recorder, record.file);
      const { size: requests } = recorder;
      const notes = recorder.notes();
      const message = [`wrote ${requests} requests to ${record.file}`, ...notes].join(". ");
      log.write(notes.length === 0 ? "info" : "warn", "recorded", { file: record.file, requests, message });
    },
  };
}

async function startRecording(sandbox: Sandbox, { file, fixtures }: NonNullable<PreparedStart["record"]>) {
  const { Recorder } = await import("../../scenarios/record/recorder.js");
  const fromFile = (fixture: string): string => (isAbsolute(fixture) ? fixture : relative(dirname(file), fixture));
  return new Recorder(sandbox, fixtures.map(fromFile));
}

/** Writes the recording only if a replay of it passes. Throws UsageError("cannot-run"). */
async function writeRecording(recorder: Recorder, file: string): Promise<void> {
  recorder.stop();
  const failed = `Failed to write the recording to ${file}: `;
  const problems = recorder.problems();
  if (problems.length > 0)
    throw new UsageError(
      "cannot-run",
      problems.map((problem) => failed + problem),
    );
  const { checkRecording } = await import("../../scenarios/record/check-recording.js");
  const own = openOwnTarget();
  try {
    const difference = await checkRecording(recorder.render({ isQuick: true }), {
      target: own.target,
      system: systemClock,
      file,
    });
    if (difference === undefined) await writeOutput("the recording", file, recorder.render());
    else
      throw new UsageError(
        "cannot-run",
        `${failed}a replay of it differs from the session. ${RECORDABLE}\n${difference}`,
      );
  } finally {
    await own.close();
  }
}

const RECORDABLE =
  "docs/record.md says what a scenario can repeat: begin without a store, and send one request at a time.";
