import { createApp } from "../http/app.js";
import { listen } from "../http/serve.js";
import { createLazyReplayer } from "../scenarios/lazy-replayer.js";
import { setupFor } from "../sandbox/options.js";
import { Sandbox as Core } from "../sandbox/sandbox.js";
import { type CompanyHandle, createCompanyHandle } from "./company-handle.js";
import { parseLibraryOptions, type SandboxOptions } from "./library-options.js";
import type { ReplayReport } from "./replay-files.js";

/** A running sandbox, and its first company. */
export interface Sandbox extends CompanyHandle, AsyncDisposable {
  /** One more isolated world, for a parallel test. `name` names it (`company_<name>`, `at_<name>`); without one it is made up. */
  company(name?: string): Promise<CompanyHandle>;
  /**
   * Replays scenario files, each in a company of its own. Rejects when one does not come out as told, with the step, its place in the file, and what
   * differed.
   */
  replay(...files: string[]): Promise<ReplayReport>;
  /** Stops: no new requests, nothing more is delivered. */
  close(): Promise<void>;
}

/**
 * Starts a sandbox in this process on a free port, with no files.
 *
 * Throws UsageError with everything that is wrong with the options, and when the port cannot be taken.
 *
 * @example
 * ```ts
 * const sandbox = await createSandbox({ clock: "2026-01-15T09:00:00Z" });
 * const charge = await (await sandbox.fetch("/v1/charges", { json: order })).json();
 * await sandbox.clock.advance("1h");
 * await sandbox.webhooks.waitFor("charges/events", (event) => event.data.status === "dropped");
 * await sandbox.close();
 * ```
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { resolved, port, host } = await parseLibraryOptions(options);
  // The process is somebody else's: its global Request and Response stay as they are.
  const server = await listen({ port, host, ownProcess: false });
  let core: Core;
  try {
    core = new Core(resolved, { url: server.url });
  } catch (error) {
    await server.close();
    throw error;
  }
  const fetch = (request: Request): Response | Promise<Response> => app.fetch(request);
  const replayer = createLazyReplayer({ sandbox: core, fetch, folder: ".", env: {} });
  const app = createApp(core, { replayer });
  server.answerWith(app);
  const parts = { core, url: server.url, fetch };
  let made = 0;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= stop());
  const stop = async (): Promise<void> => {
    server.cutOff();
    await Promise.all([server.close(), core.close(), replayer.close()]);
  };
  const handle = createCompanyHandle(parts, core.defaultCompany.id);
  const more: Omit<Sandbox, keyof CompanyHandle> = {
    company: async (name = `test_${++made}`) => {
      const setup = setupFor(`at_${name}`);
      core.open({ ...setup, ...resolved.defaults });
      return createCompanyHandle(parts, setup.id);
    },
    replay: async (...files) => (await import("./replay-files.js")).replayFiles(core, fetch, files),
    close,
    [Symbol.asyncDispose]: close,
  };
  // Getters stay getters: the secret key after a rotation is the new one.
  return Object.defineProperties(handle, Object.getOwnPropertyDescriptors(more)) as Sandbox;
}
