import type { HttpExchange } from "../../src/adapters/har/http-exchange.js";
import { type CalibrateOptions, calibrate } from "../../src/calibration/infer/calibrate.js";
import type { CalibratedSetting, CalibrationReport } from "../../src/calibration/report/report.js";
import { createApp } from "../../src/http/server/app.js";
import { createInProcessFetch } from "../../src/http/server/in-process-fetch.js";
import { openSandbox } from "../../src/library/create-sandbox.js";
import type { ProfileInput, Sandbox } from "../../src/index.js";
import { archiveOf } from "../../src/sandbox/archive.js";

/** What `run` does with a service, as its journal records it. */
export async function recordWith(
  profile: ProfileInput,
  run: (sandbox: Sandbox) => Promise<unknown>,
): Promise<HttpExchange[]> {
  const { core, sandbox } = await openSandbox({ profile, clock: "2026-01-15T09:00:00Z", seed: 7 });
  try {
    await run(sandbox);
    await sandbox.clock.advance(0);
    return [...archiveOf(core, core.defaultCompany)];
  } finally {
    await sandbox.close();
  }
}

export function calibrateAll(
  histories: readonly (readonly HttpExchange[])[],
  options: Partial<CalibrateOptions> = {},
): Promise<CalibrationReport> {
  return calibrate(histories, {
    profile: {},
    secretKey: undefined,
    source: { files: ["traffic.har"] },
    only: [],
    skip: [],
    fetchTo: (core) => createInProcessFetch(() => createApp(core)),
    ...options,
  });
}

/** Path and value of the settings in a state. */
export function settingsIn(
  { settings }: CalibrationReport,
  state: CalibratedSetting["state"],
): Record<string, unknown> {
  return Object.fromEntries(settings.filter((row) => row.state === state).map(({ path, value }) => [path, value]));
}
