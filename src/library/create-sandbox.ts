import { setMaxListeners } from "node:events";
import { clientOf } from "../http/api/answer.js";
import { createApp } from "../http/server/app.js";
import { createInProcessFetch } from "../http/server/in-process-fetch.js";
import { type Listener, listen } from "../http/server/listen.js";
import type { Log } from "../kernel/log.js";
import { UsageError } from "../kernel/messages/problem.js";
import { type ResolvedOptions, setupFor } from "../sandbox/config/options.js";
import { Sandbox as Core } from "../sandbox/sandbox.js";
import { RunWatch } from "../sandbox/run-report.js";
import { createReplayer } from "../scenarios/replayer.js";
import { createBugLog } from "./bug-log.js";
import { createCompanyHandle } from "./company-handle.js";
import type { Endpoint } from "./in-process-fetch.js";
import { replayFiles } from "./files.js";
import {
  type CompanyOptions,
  type SandboxOptions,
  parseCompanyOptions,
  parseSandboxOptions,
} from "./sandbox-options.js";
import type { Sandbox } from "./sandbox-handle.js";
import { joinSuite } from "./suite-gate.js";
import { isApiProblem } from "../domain/model/problem-codes.js";

/**
 * Starts a sandbox in this process, by default on a free port. Rejects with `UsageError` for wrong options, with every problem, and when it cannot
 * listen.
 *
 * @example
 * ```ts
 * await using sandbox = await createSandbox({ clock: "2026-01-15T09:00:00Z" });
 * await sandbox.fetch("/v1/charges", {
 *   json: {
 *     amount: 10_000,
 *     externalId: "order-1",
 *     description: "Shoes",
 *     onCanceledRedirectionUrl: "https://shop.test/no",
 *     onCompletedRedirectionUrl: "https://shop.test/yes",
 *   },
 * });
 * await sandbox.clock.advance("1h");
 * await sandbox.webhooks.waitFor("charges/events", ({ data }) => data.status === "dropped");
 * ```
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { sandbox, ended } = await openSandbox(options);
  ended.addEventListener(
    "abort",
    joinSuite(() => sandbox.report()),
    { once: true },
  );
  return sandbox;
}

/** Opens a sandbox that does not count for the suite, and returns it with its internals. `change` alters the resolved options. */
export async function openSandbox(
  options: SandboxOptions,
  change: (resolved: ResolvedOptions) => ResolvedOptions = (resolved) => resolved,
): Promise<{
  readonly core: Core;
  readonly sandbox: Sandbox;
  /** Aborted when the sandbox is closed. */
  readonly ended: AbortSignal;
}> {
  const { resolved: given, port, host } = await parseSandboxOptions(options);
  const resolved = change(given);
  const server = await listen({ port, host });
  const log = createBugLog();
  const core = await build(resolved, server, log);
  const answer = createInProcessFetch(() => app);
  const replayer = createReplayer({ sandbox: core, fetch: answer, folder: ".", env: {} });
  const app = createApp(core, { replayer });
  server.answerWith(app, (authorization) => clientOf(core, authorization));

  const watch = new RunWatch(core, resolved.allow);
  const endpoint: Endpoint = { answer, url: server.url, publicUrl: core.publicUrl, adminToken: resolved.adminToken };
  const nextName = createNames(core);
  const ended = new AbortController();
  // Every request of a replay that waits listens to the signal.
  setMaxListeners(0, ended.signal);
  let closing: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    ended.abort(new UsageError("state", "The sandbox was closed"));
    server.cutOff();
    await Promise.all([server.close(), replayer.close()]);
    await core.close();
    log.assertNone();
  };
  const close = (): Promise<void> => (closing ??= stop());
  const assertOpen = (what: string): void => {
    if (closing !== undefined) throw new UsageError("state", `Failed to ${what}: the sandbox was closed before.`);
  };
  const sandbox = Object.assign(createCompanyHandle(core, endpoint, core.defaultCompany.id), {
    async company(options: CompanyOptions = {}) {
      assertOpen("open a company");
      const chosen = parseCompanyOptions(options, resolved.defaults);
      const setup = setupFor(`at_${options.name ?? nextName()}`);
      core.open({ ...setup, ...chosen });
      return createCompanyHandle(core, endpoint, setup.id);
    },
    async replay(...files: string[]) {
      assertOpen("replay");
      return replayFiles(core, answer, files, ended.signal);
    },
    report: () => watch.report(),
    close,
    [Symbol.asyncDispose]: close,
  });
  return { core, sandbox, ended: ended.signal };
}

async function build(resolved: ResolvedOptions, server: Listener, log: Log): Promise<Core> {
  try {
    return new Core(resolved, { url: server.url, log });
  } catch (error) {
    await server.close();
    // Valid fixtures may still conflict, such as two charges with the same externalId.
    throw isApiProblem(error)
      ? new UsageError("file", `Failed to create the sandbox: ${error.messages.join("; ")}`, { cause: error })
      : error;
  }
}

/** Generates unused names: `test_1`, `test_2` and so on. */
function createNames(core: Core): () => string {
  let made = 0;
  const isTaken = (name: string): boolean =>
    core.findCompany(`company_${name}`) !== undefined || core.isTokenTaken(`at_${name}`);
  return () => {
    do made++;
    while (isTaken(`test_${made}`));
    return `test_${made}`;
  };
}
