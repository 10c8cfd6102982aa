import { isDeepStrictEqual } from "node:util";
import { calibrate } from "../../src/calibration/infer/calibrate.js";
import { UNSEEN_GROUPS } from "../../src/calibration/infer/search.js";
import type { CalibratedSetting, CalibrationReport } from "../../src/calibration/report/report.js";
import { openRehearsal, type RehearsedScenario } from "../../src/calibration/probes/rehearse.js";
import { type Alternative, alternativesOf, isSame, profileOf } from "../../src/domain/profile/alternatives.js";
import { type ProfileOverrides, findSetting, groupOf, settings } from "../../src/domain/profile/settings.js";
import type { Json } from "../../src/kernel/messages/json.js";
import { fetchTo } from "../../src/http/server/app.js";
import { loadScenarios } from "./recorded-scenarios.js";

/** `named`: calibrate sets exactly the alternative. `open`: it sets nothing, and reports that the setting is open. `wrong`: anything else, or any drift. */
export type Verdict = "named" | "open" | "wrong";

export interface RoundTrip {
  readonly alternative: Alternative;
  readonly verdict: Verdict;
  /** The files of the scenarios that run differently under the alternative. */
  readonly files: readonly string[];
  /** What calibrate set, and what it left unexplained, for messages. */
  readonly said: string;
}

/** Only this many scenarios that run differently are calibrated, the shortest, together with some that show the usual behaviour. */
const DIFFERING_MAX = 3;
const USUAL = /\/(?:transfer-completed|charge-paid|charge-dropped|probes\/transfer)\.yaml$/;

/** Replays the shipped scenarios against services that differ from the default, and calibrates the recordings. */
export async function openRoundTrips() {
  const scenarios = await loadScenarios();
  const rehearsal = openRehearsal(fetchTo, ({ url }) => (url.includes("nobody-listens") ? 503 : 200));
  const played = await rehearsal.play(scenarios, {});
  const usual = scenarios
    .map((scenario, index) => ({ ...played[index]!, scenario }))
    .toSorted((a, b) => a.exchanges.length - b.exchanges.length);
  const play = async (files: readonly string[], profile: ProfileOverrides): Promise<readonly RehearsedScenario[]> =>
    rehearsal.play(
      scenarios.filter(({ file }) => USUAL.test(file) || files.includes(file)),
      profile,
    );
  const differing = async (alternative: Alternative): Promise<string[]> => {
    const { path } = alternative.setting;
    const files: string[] = [];
    for (const { scenario, exchanges, read } of usual) {
      if (files.length === DIFFERING_MAX) break;
      if (!UNSEEN_GROUPS.has(groupOf(path)) && !read.has(path)) continue;
      const [varied] = await rehearsal.play([scenario], profileOf([alternative]));
      if (!isDeepStrictEqual(varied?.exchanges, exchanges)) files.push(scenario.file);
    }
    return files;
  };
  return {
    async ofAlternative(alternative: Alternative): Promise<RoundTrip> {
      const files = await differing(alternative);
      // If no scenario runs differently, only this setting is of interest.
      const only = files.length === 0 ? [alternative.setting.path] : [];
      const report = await calibrateScenarios(await play(files, profileOf([alternative])), only);
      return { alternative, verdict: judge(report, alternative), files, said: describe(report, files) };
    },
    /** Replays the scenarios that show the alternatives, under all alternatives at once. */
    async ofProfile(trips: readonly RoundTrip[]): Promise<CombinedRoundTrip> {
      const alternatives = trips.map(({ alternative }) => alternative);
      const files = trips.flatMap((trip) => trip.files);
      const recorded = await play(files, profileOf(alternatives));
      const shown: Alternative[] = [];
      for (const alternative of alternatives) {
        const without = await play(files, profileOf(alternatives.filter((other) => other !== alternative)));
        if (!isDeepStrictEqual(saidIn(without), saidIn(recorded))) shown.push(alternative);
      }
      const report = await calibrateScenarios(recorded);
      const said = describe(report, files);
      const others = report.settings.filter(({ state }) => state === "open").flatMap((row) => othersThan(row, report));
      return {
        unexplained: [...report.drift, ...report.settings.filter(({ state }) => state === "contradicted")],
        given: valuesOf(
          shown
            .filter((alternative) => !others.includes(nameOf(alternative)))
            .map(({ setting, after }) => ({ path: setting.path, value: after })),
        ),
        found: valuesOf(report.settings.filter(({ state }) => state === "set")),
        said,
      };
    },
    close: () => rehearsal.close(),
  };
}

function judge(report: CalibrationReport, { setting, after }: Alternative): Verdict {
  const isRight = (row: CalibratedSetting): boolean => row.path === setting.path && isSame(setting, row.value, after);
  const isAlso = (row: CalibratedSetting): boolean =>
    othersThan(row, report).includes(row.path === setting.path ? JSON.stringify(after) : nameOf({ setting, after }));
  if (report.drift.length > 0) return "wrong";
  const rows = changed(report);
  if (rows.every((row) => row.state === "open" && (isRight(row) || isAlso(row)))) {
    return report.settings.find(({ path }) => path === setting.path)?.state === "open" ? "open" : "wrong";
  }
  return rows.length === 1 && rows.every((row) => row.state === "set" && isRight(row)) ? "named" : "wrong";
}

/** The alternatives that explain the recording equally well. */
function othersThan({ path, value }: CalibratedSetting, { assumptions }: CalibrationReport): readonly string[] {
  const begin = `${path}: ${JSON.stringify(value)} explains the recording, but so does `;
  return assumptions.flatMap((text) => (text.startsWith(begin) ? text.slice(begin.length, -1).split(", ") : []));
}

function nameOf({ setting, after }: Pick<Alternative, "setting" | "after">): string {
  return `${setting.path}: ${JSON.stringify(after)}`;
}

export interface CombinedRoundTrip {
  /** Drift and contradictions. */
  readonly unexplained: readonly object[];
  /**
   * The alternatives that make a difference to the service's answers, and that no open setting explains equally well: values by path, as the sandbox reads
   * them.
   */
  readonly given: Readonly<Record<string, unknown>>;
  /** The settings that calibrate set, in the same form. */
  readonly found: Readonly<Record<string, unknown>>;
  readonly said: string;
}

function valuesOf(choices: readonly { readonly path: string; readonly value: Json }[]): Record<string, unknown> {
  return Object.fromEntries(choices.map(({ path, value }) => [path, findSetting(path)?.schema.parse(value)]));
}

/** The answers and webhooks alone, since the requests of scenarios may depend on the profile too. */
function saidIn(scenarios: readonly RehearsedScenario[]) {
  return scenarios.map(({ exchanges }) =>
    exchanges.map((exchange) => (new URL(exchange.url).pathname.startsWith("/v1/") ? exchange.answer : exchange)),
  );
}

function calibrateScenarios(
  scenarios: readonly RehearsedScenario[],
  only: readonly string[] = [],
): Promise<CalibrationReport> {
  const source = { files: scenarios.map(({ scenario }) => scenario.file) };
  const recordings = scenarios.map(({ exchanges }) => exchanges);
  return calibrate(recordings, { profile: {}, only, skip: [], secretKey: undefined, source, fetchTo });
}

export function allAlternatives(): readonly Alternative[] {
  return alternativesOf(settings.map(({ path, default: value }) => ({ path, value })));
}

function changed({ settings: rows }: CalibrationReport): readonly CalibratedSetting[] {
  return rows.filter(
    ({ value, default: usual, state }) => state === "contradicted" || !isDeepStrictEqual(value, usual),
  );
}

function describe(report: CalibrationReport, files: readonly string[]): string {
  return JSON.stringify({
    files,
    named: changed(report).map(({ path, state, value }) => [path, state, value]),
    drift: report.drift.slice(0, 4),
    assumptions: report.assumptions,
  });
}
