import { createApp } from "../http/app.js";
import { listen } from "../http/serve.js";
import { UsageError } from "../kernel/problem.js";
import { setupFor } from "../sandbox/options.js";
import { Sandbox as Core } from "../sandbox/sandbox.js";
import { createCompanyHandle } from "./create-company-handle.js";
import type { Door } from "./in-process-fetch.js";
import { parseCompanyOptions, parseSandboxOptions } from "./parse-options.js";
import type { Sandbox } from "./sandbox-handle.js";
import type { CompanyOptions, SandboxOptions } from "./sandbox-options.js";

/**
 * Starts a sandbox in this process on a free port, with no files.
 *
 * Rejects with `UsageError`: with everything that is wrong with the options, and when it cannot listen.
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
  const { resolved, port, host } = await parseSandboxOptions(options);
  // The process is somebody else's: its global Request and Response stay as they are.
  const server = await listen({ port, host, ownProcess: false });
  let core: Core;
  try {
    core = new Core(resolved, { url: server.url });
  } catch (error) {
    await server.close();
    throw error;
  }
  const app = createApp(core);
  server.answerWith(app);

  const { publicUrl, options: given } = core;
  const answer: Door["answer"] = (request) => app.fetch(request);
  const door: Door = { answer, url: server.url, publicUrl, adminToken: given.adminToken };
  let made = 0;
  const unusedName = (): string => {
    let name: string;
    do name = `test_${++made}`;
    while (core.findCompany(setupFor(`at_${name}`).id) !== undefined || core.isTokenTaken(`at_${name}`));
    return name;
  };
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= stop());
  const stop = async (): Promise<void> => {
    server.cutOff();
    await Promise.all([server.close(), core.close()]);
  };
  return Object.assign(createCompanyHandle(core, door, core.defaultCompany.id), {
    async company({ name = unusedName(), ...company }: CompanyOptions = {}) {
      if (closing !== undefined) throw new UsageError("state", "Failed to open a company: the sandbox is closed.");
      const setup = setupFor(`at_${name}`);
      core.open({ ...setup, ...parseCompanyOptions({ name, ...company }, resolved.defaults) });
      return createCompanyHandle(core, door, setup.id);
    },
    replay: async (...files: string[]) => (await import("./replay-files.js")).replayFiles(core, answer, files),
    close,
    [Symbol.asyncDispose]: close,
  });
}
