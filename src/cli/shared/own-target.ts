import { createApp } from "../../http/server/app.js";
import { createInProcessFetch } from "../../http/server/in-process-fetch.js";
import { resolveOptions } from "../../sandbox/config/options.js";
import { Sandbox } from "../../sandbox/sandbox.js";
import { createSandboxTarget } from "../../scenarios/run/sandbox-target.js";
import type { Target } from "../../scenarios/run/world.js";

export interface OpenTarget {
  readonly target: Target;
  close(): Promise<void>;
}

/** Opens a sandbox for replays, without a socket. */
export function openOwnTarget(seed?: number): OpenTarget {
  const sandbox = new Sandbox(resolveOptions({ seed }));
  const app = createApp(sandbox);
  const target = createSandboxTarget(
    sandbox,
    createInProcessFetch(() => app),
  );
  return {
    target,
    close: async () => {
      await target.close();
      await sandbox.close();
    },
  };
}
