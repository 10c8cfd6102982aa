import { isDeepStrictEqual } from "node:util";
import { calibrate } from "../../src/calibration/infer/calibrate.js";
import type { CalibrationReport } from "../../src/calibration/report/report.js";
import { openRehearsal, type RehearsedStory } from "../../src/calibration/probes/rehearse.js";
import { type Alternative, alternativesOf, profileOf } from "../../src/domain/profile/alternatives.js";
import { type ProfileOverrides, settings } from "../../src/domain/profile/settings.js";
import type { Json } from "../../src/kernel/messages/json.js";
import type { Scenario } from "../../src/scenarios/file/scenario.js";
import { fetchTo, loadStories } from "./recorded-stories.js";

/**
 * `named`: calibrate names exactly the alternative. `open`: no scenario plays differently. `missed`: one does, but calibrate names nothing. `wrong`: it names
 * something else.
 */
export type Verdict = "named" | "open" | "missed" | "wrong";

export interface RoundTrip {
  readonly alternative: Alternative;
  readonly verdict: Verdict;
  /** What it named and what it left unexplained, for messages. */
  readonly said: string;
}

/** Of the scenarios that play differently, so many of the shortest are calibrated. */
const STORIES_MAX = 3;

/** Plays the shipped scenarios against services that differ from the default in one alternative, and calibrates what was recorded. */
export async function openRoundTrips() {
  const stories = await loadStories();
  const rehearsal = openRehearsal(fetchTo, ({ url }) => (url.includes("nobody-listens") ? 503 : 200));
  const usual = await playAll(stories, {});
  function playAll(played: readonly Scenario[], profile: ProfileOverrides) {
    return rehearsal.play(played, profile);
  }
  const differing = async (profile: ProfileOverrides, paths: readonly string[]): Promise<RehearsedStory[]> => {
    const touched = stories.filter((_, index) => paths.some((path) => usual[index]?.read.has(path)));
    const played = await playAll(touched, profile);
    const isUsual = ({ scenario, exchanges }: RehearsedStory): boolean =>
      isDeepStrictEqual(usual.find((story) => story.scenario.file === scenario.file)?.exchanges, exchanges);
    return played.filter((story) => !isUsual(story)).sort((a, b) => a.exchanges.length - b.exchanges.length);
  };
  return {
    async ofAlternative(alternative: Alternative): Promise<RoundTrip> {
      const told = (await differing(profileOf([alternative]), [alternative.setting.path])).slice(0, STORIES_MAX);
      if (told.length === 0) return { alternative, verdict: "open", said: "" };
      const report = await calibrateStories(told);
      const named = namedBy(report);
      const { path, schema } = alternative.setting;
      const isNamed = named.length === 1 && named[0]?.path === path;
      const isRight = isNamed && isDeepStrictEqual(schema.parse(named[0]?.value), schema.parse(alternative.after));
      const verdict = isRight ? "named" : named.length === 0 ? "missed" : "wrong";
      return { alternative, verdict, said: describe(report, told) };
    },
    close: () => rehearsal.close(),
  };
}

function calibrateStories(stories: readonly RehearsedStory[]): Promise<CalibrationReport> {
  const recordings = stories.map(({ exchanges }) => exchanges);
  const source = { files: stories.map(({ scenario }) => scenario.file) };
  return calibrate(recordings, { profile: {}, only: [], skip: [], secretKey: undefined, source, fetchTo });
}

export function allAlternatives(): readonly Alternative[] {
  return alternativesOf(settings.map(({ path, default: value }) => ({ path, value })));
}

/** The settings that are not the default, by the report. */
function namedBy({ settings: rows }: CalibrationReport): readonly { readonly path: string; readonly value: Json }[] {
  return rows.filter(({ value, default: usual }) => !isDeepStrictEqual(value, usual));
}

function describe(report: CalibrationReport, told: readonly RehearsedStory[]): string {
  const named = report.settings.filter(
    ({ value, default: usual, state }) => state === "contradicted" || !isDeepStrictEqual(value, usual),
  );
  const drift = report.drift.slice(0, 4).map(({ operation, topic, pointer, kind, example }) => ({
    operation,
    topic,
    pointer,
    kind,
    expected: example.expected,
    got: example.got,
  }));
  return JSON.stringify({
    files: told.map(({ scenario }) => scenario.file),
    named: named.map(({ path, state, value }) => [path, state, value]),
    drift,
  });
}
