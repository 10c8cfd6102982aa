import { readHar } from "../adapters/har/read-har.js";
import type { HttpExchange } from "../adapters/har/http-exchange.js";
import { calibrate as calibrateTraffic } from "../calibration/infer/calibrate.js";
import type { CalibrationReport } from "../calibration/report/report.js";
import { assertSettings } from "../domain/profile/alternatives.js";
import { parseProfile } from "../domain/profile/parse-profile.js";
import type { ProfileInput } from "../domain/profile/profile.js";
import { createApp } from "../http/server/app.js";
import { createInProcessFetch } from "../http/server/in-process-fetch.js";
import { UsageError } from "../kernel/messages/problem.js";

/** The options of `calibrate`. */
export interface CalibrateOptions {
  /** Where the search begins; what it does not name has its default. */
  readonly profile?: ProfileInput;
  /** Verifies signatures of webhooks that were not redacted. */
  readonly secretKey?: string;
  /** Only these settings (`transfers.settlement`), or groups of them (`transfers`). */
  readonly only?: readonly string[];
  /** All but these. */
  readonly skip?: readonly string[];
}

/**
 * Reads recorded traffic of the real service from HTTP archives (HAR), each of one company, finds the settings that explain it, and lists what no setting
 * explains. Rejects with `UsageError` for a file that cannot be read, and for wrong options.
 *
 * @example
 * ```ts
 * const { drift, settings } = await calibrate(["traffic.har"]);
 * ```
 */
export async function calibrate(files: readonly string[], options: CalibrateOptions = {}): Promise<CalibrationReport> {
  const { only = [], skip = [], secretKey } = options;
  assertSettings({ only, skip });
  const parsed = parseProfile(options.profile);
  if (!parsed.ok) {
    const problems = parsed.problems.map(({ message }) => `Failed to calibrate: ${message}`);
    throw new UsageError("input", problems);
  }
  return calibrateTraffic(await Promise.all(files.map(readAll)), {
    profile: parsed.overrides,
    only,
    skip,
    secretKey,
    source: { files },
    fetchTo: (core) => createInProcessFetch(() => createApp(core)),
  });
}

async function readAll(file: string): Promise<HttpExchange[]> {
  const exchanges: HttpExchange[] = [];
  for await (const exchange of readHar(file)) exchanges.push(exchange);
  return exchanges;
}
