import type * as z from "zod";
import { readHar } from "../adapters/har/read-har.js";
import { calibrate as calibrateTraffic } from "../calibration/infer/calibrate.js";
import { type CalibrationReport, NOTHING_COMPARED } from "../calibration/report/report.js";
import { assertSettings } from "../domain/profile/alternatives.js";
import { acceptProfile } from "../sandbox/state/profile.js";
import type { ProfileInput } from "../domain/profile/profile.js";
import { fetchTo } from "../http/server/app.js";
import { show } from "../domain/profile/setting-problems.js";
import { isObject } from "../kernel/messages/json.js";
import { UsageError } from "../kernel/messages/problem.js";
import { systemClock } from "../kernel/time/system-clock.js";
import type { Sandbox as Core } from "../sandbox/sandbox.js";
import { loadScenario } from "../scenarios/file/parse-scenario.js";
import { renderFailure } from "../scenarios/run/failure.js";
import { replay } from "../scenarios/run/replay.js";
import type { Fetch } from "../scenarios/run/company-world.js";
import { createSandboxTarget } from "../scenarios/run/sandbox-target.js";
import type { Scenario } from "../scenarios/file/scenario.js";
import { checkOptions, names, valueThat } from "./sandbox-options.js";
import { type ReplayReport, ScenarioFailed } from "./sandbox-handle.js";

const WORKERS = 8;

/**
 * Throws ScenarioFailed when a scenario fails, UsageError("file") with the problems of all files, and UsageError("cannot-run") when every scenario
 * was skipped.
 */
export async function replayFiles(
  core: Core,
  fetch: Fetch,
  files: readonly string[],
  signal: AbortSignal,
): Promise<ReplayReport> {
  const scenarios = await loadAll(files);
  const target = createSandboxTarget(core, fetch);
  try {
    const options = { workers: WORKERS, bail: false, system: systemClock, seed: core.options.seed, env: {}, signal };
    const { results, counts } = await replay(target, scenarios, options);
    const failures = results.flatMap(({ scenario, failure }) =>
      failure === undefined ? [] : [`${scenario.name}\n${renderFailure(failure)}`],
    );
    if (failures.length > 0) throw new ScenarioFailed(failures.join("\n\n"));
    if (counts.passed === 0) {
      const reasons = results.map(({ scenario, reason = "" }) => `Failed to replay ${scenario.file}: ${reason}.`);
      throw new UsageError("cannot-run", reasons);
    }
    const reported = results.map(({ scenario, outcome }) => {
      const { name, file } = scenario;
      return { name, file, outcome: outcome === "skipped" ? ("skipped" as const) : ("passed" as const) };
    });
    return { passed: counts.passed, skipped: counts.skipped, scenarios: reported };
  } finally {
    await target.close();
  }
}

async function loadAll(files: readonly string[]): Promise<Scenario[]> {
  if (files.length === 0) throw new UsageError("input", "Failed to replay: no file was given.");
  const loaded = await Promise.allSettled(files.map((file) => loadScenario(file)));
  const problems = loaded.flatMap((result): string[] => {
    if (result.status === "fulfilled") return [];
    const { reason } = result;
    if (reason instanceof UsageError) return [...reason.messages];
    throw reason;
  });
  if (problems.length > 0) throw new UsageError("file", problems);
  return loaded.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}

/** The options of `calibrate`. */
export interface CalibrateOptions {
  /** The profile with which the search begins. Settings that it does not name have their defaults. */
  readonly profile?: ProfileInput;
  /** The secret key that verifies the signatures of webhooks that were not redacted. */
  readonly secretKey?: string;
  /** Only these settings (`transfers.settlement`), or groups of them (`transfers`). */
  readonly only?: readonly string[];
  /** All except these. */
  readonly skip?: readonly string[];
}

/**
 * Reads recorded traffic of the real service from HTTP archives (HAR), each of one company, finds the settings that explain it, and lists what no setting
 * explains. Rejects with `UsageError` for a file that cannot be read, for wrong options, and when nothing can be compared.
 *
 * @example
 * ```ts
 * const { drift, settings } = await calibrate(["traffic.har"]);
 * ```
 */
export async function calibrate(files: readonly string[], options: CalibrateOptions = {}): Promise<CalibrationReport> {
  const isGiven = Array.isArray(files) && files.length > 0 && files.every((file) => typeof file === "string");
  const problems = isGiven ? [] : [`give a list of at least one HTTP archive (HAR), got ${show(files)}.`];
  checkOptions("calibrate", options, calibrateFields, problems);
  const { only = [], skip = [], secretKey } = options;
  assertSettings({ only, skip });
  const report = await calibrateTraffic(files.map(readHar), {
    profile: acceptProfile(options.profile, "input", "Failed to calibrate: ").overrides,
    only,
    skip,
    secretKey,
    source: { files },
    fetchTo,
  });
  if (report.source.compared === 0) throw new UsageError("cannot-run", `Failed to calibrate: ${NOTHING_COMPARED}`);
  return report;
}

const calibrateFields: Readonly<Record<keyof CalibrateOptions, z.ZodType>> = {
  profile: valueThat("an object of settings", isObject),
  secretKey: valueThat("a text", (value) => typeof value === "string"),
  only: names,
  skip: names,
};
