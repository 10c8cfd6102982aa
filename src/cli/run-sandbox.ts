import { isApiProblem } from "../domain/problem-codes.js";
import { createApp } from "../http/app.js";
import { createInProcessFetch } from "../http/in-process-fetch.js";
import { listen, type Listener } from "../http/serve.js";
import type { Instant } from "../kernel/instant.js";
import type { Log } from "../kernel/log.js";
import { UsageError } from "../kernel/problem.js";
import { systemClock } from "../kernel/system-clock.js";
import type { ResolvedOptions } from "../sandbox/options.js";
import { Sandbox } from "../sandbox/sandbox.js";
import { createLog, type LogPlace } from "./log.js";
import type { PreparedStart } from "./prepare-start.js";
import { createLazyReplayer } from "../scenarios/lazy-replayer.js";
import type { Fetch } from "../scenarios/sandbox-target.js";
import { openVariables } from "./values.js";
import { stopGracefully } from "./stop-gracefully.js";

/** A sandbox that answers in this process. */
export interface RunningSandbox {
  readonly sandbox: Sandbox;
  /** `http://127.0.0.1:4010` */
  readonly url: string;
  readonly log: Log;
  /** Its door without a socket. */
  readonly fetch: Fetch;
  /** What is in flight is finished first, within bounds. */
  stop(): Promise<void>;
}

/** Throws UsageError("cannot-run") when it cannot listen, UsageError("file") when what its companies begin with does not fit together. */
export async function runSandbox(
  { serve, options, logStyle }: PreparedStart,
  logPlace?: LogPlace,
): Promise<RunningSandbox> {
  let now = (): Instant => systemClock.now();
  const log = createLog(logStyle, () => now(), logPlace);
  // Its address first: what a company begins with may already hold links to it.
  const server = await listen({ ...serve, log });
  const { sandbox, fetch, replayer } = await build(server, options, log);
  now = () => sandbox.companies[0]?.now() ?? systemClock.now();
  const stop = async (): Promise<void> => {
    await stopGracefully(server, sandbox, log);
    await replayer.close();
  };
  return { sandbox, url: server.url, log, fetch, stop };
}

async function build(server: Listener, options: ResolvedOptions, log: Log) {
  try {
    const sandbox = new Sandbox(options, { log, url: server.url });
    const fetch = createInProcessFetch(() => app);
    const replayer = createLazyReplayer({ sandbox, fetch, folder: ".", env: openVariables(process.env) });
    const app = createApp(sandbox, { replayer });
    server.answerWith(app);
    return { sandbox, fetch, replayer };
  } catch (error) {
    await server.close();
    // What the files ask for is right by itself, and not together: two charges with one externalId, say.
    const isTheirs = isApiProblem(error) || (error instanceof UsageError && error.kind !== "cannot-run");
    throw isTheirs ? new UsageError("file", `Failed to set up the companies: ${error.messages.join("; ")}`) : error;
  }
}
