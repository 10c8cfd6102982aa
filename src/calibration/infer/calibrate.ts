import { isSelected, type SettingSelection } from "../../domain/profile/alternatives.js";
import { parseProfile } from "../../domain/profile/parse-profile.js";
import type { Setting } from "../../domain/profile/setting.js";
import { type ProfileOverrides, groupOf, settings } from "../../domain/profile/settings.js";
import type { HttpExchange } from "../../adapters/har/http-exchange.js";
import { Bug } from "../../kernel/messages/problem.js";
import { type Json, isObject } from "../../kernel/messages/json.js";
import { toIso } from "../../kernel/time/instant.js";
import type { CalibratedSetting, CalibrationReport, Evidence } from "../report/report.js";
import { readHistory } from "../replay/history.js";
import type { FoundDifference } from "../replay/replay.js";
import { type BenchOptions, type Choice, Track, type Trial, withChoice } from "./bench.js";
import { groupDrift, nameExchange } from "./drift.js";
import { Traffic } from "./suggest.js";
import { explainedBy, weigh, without } from "./score.js";
import { choicesOf } from "./choices.js";

export interface CalibrateOptions extends BenchOptions, SettingSelection {
  /** Where the search begins; what it does not name has its default. */
  readonly profile: ProfileOverrides;
  readonly source: { readonly files: readonly string[] } | { readonly target: string };
}

const EVIDENCE_MAX = 3;

/**
 * Finds the settings with which the sandbox says what the recorded service said, and lists what none of them explains. Each history is the traffic of
 * one company.
 */
export async function calibrate(
  recordings: readonly (readonly HttpExchange[])[],
  options: CalibrateOptions,
): Promise<CalibrationReport> {
  let first = 0;
  const histories = recordings.map((exchanges) => {
    const history = readHistory(exchanges, first);
    first += exchanges.length;
    return history;
  });
  const comparesWebhooks = histories.some(({ entries }) => entries.some(({ kind }) => kind === "webhook"));
  const tracks = histories
    .filter(({ entries }) => entries.length > 0)
    .map((history) => new Track(history, { ...options, comparesWebhooks }));
  const search = new Search(tracks, options);
  await search.improve();
  return search.report(recordings.flat());
}

class Search {
  readonly #tracks: readonly Track[];
  readonly #traffic: Traffic;
  readonly #options: CalibrateOptions;
  #profile: ProfileOverrides;
  /** What the chosen value of a setting has explained. */
  readonly #explained = new Map<string, readonly FoundDifference[]>();
  readonly #assumptions: string[] = [];

  constructor(tracks: readonly Track[], options: CalibrateOptions) {
    this.#tracks = tracks;
    this.#traffic = new Traffic(tracks.map(({ history }) => history));
    this.#options = options;
    this.#profile = options.profile;
  }

  /** Chooses the alternative that explains most, again and again, until none explains anything. */
  async improve(): Promise<void> {
    await this.#adopt(this.#profile);
    let waiting: readonly Choice[] | undefined;
    while (this.#differences().length > 0) {
      const gains = await this.#gains(waiting ?? this.#choices());
      const [best] = gains;
      if (best === undefined) {
        if (waiting === undefined) return;
        waiting = undefined;
        continue;
      }
      this.#explained.set(best.choice.path, best.removed);
      await this.#adopt(best.profile);
      waiting = gains.slice(1).map(({ choice }) => choice);
    }
  }

  async #adopt(profile: ProfileOverrides): Promise<void> {
    this.#profile = profile;
    for (const track of this.#tracks) await track.adopt(profile);
  }

  #differences(): FoundDifference[] {
    return this.#tracks.flatMap(({ current }) => current.differences);
  }

  #choices(): Choice[] {
    return settings
      .filter(({ path }) => isSelected(this.#options, path))
      .flatMap((setting) => this.#otherChoices(setting));
  }

  #otherChoices(setting: Setting): Choice[] {
    const { path } = setting;
    return choicesOf(setting, this.#valueOf(setting), this.#traffic).map((value) => ({ path, value }));
  }

  /** The choices with which less differs, the best first. */
  async #gains(choices: readonly Choice[]) {
    const gains = [];
    for (const choice of choices) {
      const profile = withChoice(this.#profile, choice);
      if (profile === undefined) continue;
      const trials = await this.#try(profile, choice.path, ({ current }) => current.differences.length > 0);
      const [before, after] = [trials.flatMap((trial) => trial.before), trials.flatMap((trial) => trial.after)];
      const gain = weigh(before) - weigh(after);
      if (gain > 0) gains.push({ choice, profile, gain, removed: without(before, after) });
    }
    return gains.toSorted((a, b) => b.gain - a.gain);
  }

  async #try(profile: ProfileOverrides, path: string, isWanted: (track: Track) => boolean): Promise<Trial[]> {
    const always = UNSEEN_GROUPS.has(groupOf(path));
    const trials: Trial[] = [];
    for (const track of this.#tracks) {
      if (!isWanted(track)) continue;
      const trial = await track.try(profile, { path, always, whole: false });
      if (trial !== undefined) trials.push(trial);
    }
    return trials;
  }

  async report(exchanges: readonly HttpExchange[]): Promise<CalibrationReport> {
    const rows: CalibratedSetting[] = [];
    for (const setting of settings) {
      if (isSelected(this.#options, setting.path)) rows.push(await this.#judge(setting, exchanges));
    }
    const drift = groupDrift(this.#differences(), this.#tracks, exchanges);
    const entries = this.#tracks.flatMap(({ history }) => history.entries);
    const starts = this.#tracks.flatMap(({ history }) => history.entries.slice(0, 1).map(({ at }) => at));
    const ends = this.#tracks.flatMap(({ history }) => history.entries.slice(-1).map(({ at }) => at));
    const webhooks = entries.filter(({ kind }) => kind === "webhook").length;
    const count = (state: CalibratedSetting["state"]): number => rows.filter((row) => row.state === state).length;
    return {
      verb: "calibrate",
      source: {
        files: null,
        target: null,
        ...this.#options.source,
        exchanges: entries.length - webhooks,
        webhooks,
        from: starts.length === 0 ? null : toIso(Math.min(...starts)),
        to: ends.length === 0 ? null : toIso(Math.max(...ends)),
      },
      settings: rows,
      drift,
      assumptions: [
        ...new Set([
          ...this.#tracks.flatMap(({ presupposed, current }) => [...presupposed.assumptions, ...current.assumptions]),
          ...this.#assumptions,
        ]),
      ],
      counts: {
        confirmed: count("confirmed"),
        set: count("set"),
        open: count("open"),
        contradicted: count("contradicted"),
        drift: drift.length,
      },
    };
  }

  /** Tries all other values once more, now that the others are known. */
  async #judge(setting: Setting, exchanges: readonly HttpExchange[]): Promise<CalibratedSetting> {
    const { path } = setting;
    const value = this.#valueOf(setting);
    const before = valueIn(this.#options.profile, setting);
    const evidenceOf = (differences: readonly FoundDifference[]): Evidence[] =>
      differences.slice(0, EVIDENCE_MAX).map(({ exchange, pointer, expected, got }) => ({
        exchange: nameExchange(exchange, exchanges),
        pointer,
        expected,
        got,
      }));
    const row = { path, value, default: before };
    const added: FoundDifference[] = [];
    const equals: Json[] = [];
    for (const choice of this.#otherChoices(setting)) {
      const profile = withChoice(this.#profile, choice);
      if (profile === undefined) continue;
      const disputed = await this.#try(profile, path, ({ current }) => current.differences.length > 0);
      const agreed = disputed.some(({ after, before }) => without(after, before).length > 0)
        ? []
        : await this.#firstWorse(profile, path);
      const trials = [...disputed, ...agreed];
      const worse = trials.flatMap((trial) => without(trial.after, trial.before));
      const better = trials.flatMap((trial) => explainedBy(trial.before, trial.after));
      const isDisputed = better.length > 0 && trials.some((trial) => explainedBy(trial.after, trial.before).length > 0);
      if (isDisputed) {
        return { ...row, state: "contradicted", evidence: evidenceOf([...better.slice(0, 2), ...worse.slice(0, 1)]) };
      }
      if (worse.length === 0) equals.push(choice.value);
      added.push(...worse.slice(0, 1));
    }
    const explained = this.#explained.get(path);
    if (explained !== undefined && equals.length > 0) {
      const others = equals.map((other) => JSON.stringify(other)).join(", ");
      this.#assumptions.push(`${path}: ${JSON.stringify(value)} explains the recording, but so does ${others}.`);
    }
    if (equals.length > 0 || added.length === 0)
      return { ...row, state: "open", evidence: evidenceOf(explained ?? []) };
    if (explained === undefined) return { ...row, state: "confirmed", evidence: evidenceOf(added) };
    return { ...row, state: "set", evidence: evidenceOf(explained) };
  }

  /** The first of the histories without differences that a value gives some. */
  async #firstWorse(profile: ProfileOverrides, path: string): Promise<Trial[]> {
    for (const track of this.#tracks) {
      const trials = await this.#try(
        profile,
        path,
        (other) => other === track && track.current.differences.length === 0,
      );
      if (trials.some(({ after }) => after.length > 0)) return trials;
    }
    return [];
  }

  #valueOf(setting: Setting): Json {
    return valueIn(this.#profile, setting);
  }
}

/** Groups whose settings are read only where they apply, so that what was not read may apply all the same. */
const UNSEEN_GROUPS: ReadonlySet<string> = new Set(["testNumbers", "rateLimit"]);

function valueIn(profile: ProfileOverrides, { path }: Setting): Json {
  const parsed = parseProfile(profile);
  if (!parsed.ok) throw new Bug(`The profile of a calibration is wrong: ${JSON.stringify(parsed.problems)}`);
  const [group = "", name] = path.split(".");
  const member = parsed.values[group];
  return (name === undefined ? member : isObject(member) ? (member[name] as Json) : null) ?? null;
}
