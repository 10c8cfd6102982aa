import { isDeepStrictEqual } from "node:util";
import { isSelected, type SettingSelection } from "../../domain/profile/alternatives.js";
import { parseProfile } from "../../domain/profile/parse-profile.js";
import type { Setting } from "../../domain/profile/setting.js";
import { type ProfileOverrides, findSetting, groupOf, settings } from "../../domain/profile/settings.js";
import { type Json, isObject } from "../../kernel/messages/json.js";
import { Bug } from "../../kernel/messages/problem.js";
import type { FoundDifference } from "../replay/compare.js";
import { type Choice, type Track, type Trial, withChoice } from "./bench.js";
import { focusTracks } from "./focus.js";
import { explainedBy, weigh, without } from "./score.js";
import { suggest } from "./suggest.js";

export interface SearchOptions extends SettingSelection {
  /** The profile with which the search begins. Settings that it does not name have their defaults. */
  readonly profile: ProfileOverrides;
}

/** A choice that explains differences. */
interface Gain {
  readonly choice: Choice;
  readonly profile: ProfileOverrides;
  /** By how much the weight of all differences falls. */
  readonly gain: number;
  readonly removed: readonly FoundDifference[];
}

/** Looks for the profile with which least of the traffic differs. */
export class Search {
  readonly tracks: readonly Track[];
  /** The parts of the tracks that are replayed again and again. */
  focused: readonly Track[] = [];
  /** Values that the traffic suggests, by the paths of settings. */
  readonly #suggested: ReadonlyMap<string, readonly Json[]>;
  readonly #options: SearchOptions;
  profile: ProfileOverrides;
  /** What the chosen value of a setting has explained. */
  readonly explained = new Map<string, readonly FoundDifference[]>();
  /** Choices of other settings that explained some of the same. */
  readonly rivals = new Map<string, readonly Choice[]>();

  constructor(tracks: readonly Track[], options: SearchOptions) {
    this.tracks = tracks;
    this.#suggested = suggest(tracks.map(({ history }) => history));
    this.#options = options;
    this.profile = options.profile;
  }

  /** Chooses the alternative that explains most, again and again, until none explains anything. */
  async improve(): Promise<void> {
    let least = Number.POSITIVE_INFINITY;
    for (;;) {
      await this.#focus();
      const weight = weigh(this.tracks.flatMap(({ current }) => current.differences));
      if (weight >= least || !(await this.#improveFocused())) break;
      least = weight;
    }
    if (await this.#takeBack()) await this.#focus();
  }

  async #focus(): Promise<void> {
    for (const track of this.tracks) await track.adopt(this.profile);
    this.focused = focusTracks(this.tracks).map((track) => track.focused());
    await this.#adopt(this.profile);
  }

  /** Gives a setting its first value back when no further differences appear with it: then the chosen value only made a request fail in another way. */
  async #takeBack(): Promise<boolean> {
    let isTakenBack = false;
    for (const path of this.explained.keys()) {
      const setting = findSetting(path);
      const usual = setting && withChoice(this.profile, { path, value: this.firstValueOf(setting) });
      if (usual === undefined) continue;
      const trials = await this.try(usual, path, () => true);
      if (trials.length === 0 || trials.some(({ before, after }) => without(after, before).length > 0)) continue;
      this.explained.delete(path);
      this.rivals.delete(path);
      await this.#adopt(usual);
      isTakenBack = true;
    }
    return isTakenBack;
  }

  async #improveFocused(): Promise<boolean> {
    let isBetter = false;
    while (this.#differences().length > 0) {
      if (!(await this.#adoptFirst(await this.#gains()))) break;
      isBetter = true;
    }
    return isBetter;
  }

  /** Adopts the first of the gains with which less differs in all focused traffic. Returns false when there is none. */
  async #adoptFirst(gains: readonly Gain[]): Promise<boolean> {
    const [profile, before] = [this.profile, weigh(this.#differences())];
    for (const gain of gains) {
      await this.#adopt(gain.profile);
      if (weigh(this.#differences()) >= before) continue;
      this.explained.set(gain.choice.path, gain.removed);
      this.rivals.set(
        gain.choice.path,
        gains.map(({ choice }) => choice).filter(({ path }) => path !== gain.choice.path),
      );
      return true;
    }
    if (gains.length > 0) await this.#adopt(profile);
    return false;
  }

  async #adopt(profile: ProfileOverrides): Promise<void> {
    this.profile = profile;
    for (const track of this.focused) await track.adopt(profile);
  }

  #differences(): FoundDifference[] {
    return this.focused.flatMap(({ current }) => current.differences);
  }

  #choices(): Choice[] {
    return settings
      .filter(({ path }) => isSelected(this.#options, path))
      .flatMap((setting) => this.otherChoices(setting));
  }

  otherChoices(setting: Setting): Choice[] {
    const { path } = setting;
    return choicesOf(setting, this.valueOf(setting), this.#suggested.get(path)).map((value) => ({ path, value }));
  }

  /** Whether the value of a setting stands for another that the traffic does not show: an example of the table, such as a name, or a pseudonym. */
  isStandIn(setting: Setting): boolean {
    const { path, alternatives, schema } = setting;
    const value = this.valueOf(setting);
    if (typeof value === "string" && isPseudonym(value)) return true;
    const isExample = alternatives.some(({ form, samples }) => form === true && samples?.includes(value));
    const isText = typeof schema.safeParse(value).data === "string";
    return isExample && isText && this.#suggested.get(path)?.includes(value) !== true;
  }

  /** The choices with which less differs, the best first. */
  async #gains(): Promise<Gain[]> {
    const gains: Gain[] = [];
    for (const choice of this.#choices()) {
      const profile = withChoice(this.profile, choice);
      if (profile === undefined) continue;
      const trials = await this.try(profile, choice.path, isDisputed);
      if (gainOf(trials) <= 0) continue;
      const all = [...trials, ...(await this.try(profile, choice.path, isAgreed))];
      if (!clearsMost(all)) continue;
      const gain = gainOf(all);
      const removed = trials.flatMap(({ before, after }) => without(before, after));
      if (gain > 0) gains.push({ choice, profile, gain, removed });
    }
    return gains.toSorted((a, b) => b.gain - a.gain);
  }

  async try(profile: ProfileOverrides, path: string, isWanted: (track: Track) => boolean): Promise<Trial[]> {
    const always = UNSEEN_GROUPS.has(groupOf(path));
    const trials: Trial[] = [];
    for (const track of this.focused) {
      if (!isWanted(track)) continue;
      const trial = await track.try(profile, { path, always });
      if (trial !== undefined) trials.push(trial);
    }
    return trials;
  }

  valueOf(setting: Setting): Json {
    return valueIn(this.profile, setting);
  }

  /** The value with which the search began. */
  firstValueOf(setting: Setting): Json {
    return valueIn(this.#options.profile, setting);
  }
}

export function isAgreed({ current }: Track): boolean {
  return current.differences.length === 0;
}

export function isDisputed(track: Track): boolean {
  return !isAgreed(track);
}

/** False when a value makes more exchanges differ than agree. Weights cannot show that: one missing webhook weighs more than many fields, but proves less. */
function clearsMost(trials: readonly Trial[]): boolean {
  const countOf = (differences: readonly FoundDifference[]): number =>
    new Set(differences.map(({ exchange }) => exchange)).size;
  const cleared = trials.reduce((sum, { before, after }) => sum + countOf(explainedBy(before, after)), 0);
  const broken = trials.reduce((sum, { before, after }) => sum + countOf(explainedBy(after, before)), 0);
  return broken <= cleared;
}

export function gainOf(trials: readonly Trial[]): number {
  return trials.reduce((sum, { before, after }) => sum + weigh(before) - weigh(after), 0);
}

/** Groups whose settings are read only where they apply, so that what was not read may apply all the same. */
export const UNSEEN_GROUPS: ReadonlySet<string> = new Set(["testNumbers", "rateLimit", "server"]);

/** Whether a number is a pseudonym of `proxy --redact msisdn`. No number of the country begins with 99. */
function isPseudonym(number: string): boolean {
  return /^\+?(?:225)?99000\d{5}$/.test(number);
}

function valueIn(profile: ProfileOverrides, { path }: Setting): Json {
  const parsed = parseProfile(profile);
  if (!parsed.ok) throw new Bug(`The profile of a calibration is wrong: ${JSON.stringify(parsed.problems)}`);
  const [group = "", name] = path.split(".");
  const member = parsed.values[group];
  return (name === undefined ? member : isObject(member) ? (member[name] as Json) : null) ?? null;
}

/** The values that a setting may have in the place of `value`: those of the table, and those that the traffic suggests. */
function choicesOf(setting: Setting, value: Json, suggested: readonly Json[] = []): Json[] {
  const { schema, alternatives } = setting;
  const known = alternatives.flatMap((one) => one.samples ?? (one.form ? [] : [one.value]));
  const compiled = [schema.parse(value)];
  return [setting.default, ...known, ...suggested].filter((choice) => {
    const parsed = schema.safeParse(choice);
    if (!parsed.success || compiled.some((other) => isDeepStrictEqual(other, parsed.data))) return false;
    compiled.push(parsed.data);
    return true;
  });
}
