import { isSelected, type SettingSelection } from "../../domain/profile/alternatives.js";
import { parseProfile } from "../../domain/profile/parse-profile.js";
import type { Setting } from "../../domain/profile/setting.js";
import { type ProfileOverrides, findSetting, groupOf, settings } from "../../domain/profile/settings.js";
import { type HttpExchange, parseBody } from "../../adapters/har/http-exchange.js";
import { REDACTED, SecretRedactor } from "../../sandbox/observation/redact.js";
import { Bug } from "../../kernel/messages/problem.js";
import { type Json, isObject } from "../../kernel/messages/json.js";
import { toIso } from "../../kernel/time/instant.js";
import { type CalibratedSetting, type CalibrationReport, type Evidence, isChanged } from "../report/report.js";
import type { Entry } from "../recording/entry.js";
import { type Recording, readRecording } from "../recording/history.js";
import { type ReadEntry, readEntry } from "../recording/read-entry.js";
import { DIFFERENCES_MAX, type FoundDifference } from "../replay/compare.js";
import { credentialsIn, credentialsOf } from "../recording/credentials.js";
import { groupBy } from "../recording/group-by.js";
import { type BenchOptions, type Choice, Track, type Trial, withChoice } from "./bench.js";
import { exampleOf, groupDrift } from "./drift.js";
import { focusTracks } from "./focus.js";
import { suggest } from "./suggest.js";
import { explainedBy, hides, weigh, without } from "./score.js";
import { choicesOf } from "./choices.js";

export interface CalibrateOptions extends BenchOptions, SettingSelection {
  /** Where the search begins; what it does not name has its default. */
  readonly profile: ProfileOverrides;
  readonly source: { readonly files: readonly string[] } | { readonly target: string };
}

const EVIDENCE_MAX = 3;

/**
 * Finds the settings with which the sandbox says what the recorded service said, and lists what none of them explains.
 */
export async function calibrate(
  recordings: readonly (Iterable<HttpExchange> | AsyncIterable<HttpExchange>)[],
  options: CalibrateOptions,
): Promise<CalibrationReport> {
  const { recordings: read, secrets } = await readAll(recordings, options);
  const histories = read.flatMap((recording) => recording.histories);
  const comparesWebhooks = histories.some(({ entries }) => entries.some(({ kind }) => kind === "webhook"));
  const tracks = histories
    .filter(({ entries }) => entries.length > 0)
    .map((history) => new Track(history, { ...options, comparesWebhooks, isTokenRight: "target" in options.source }));
  const search = new Search(tracks, options);
  const unnamed = read.reduce((sum, recording) => sum + recording.unnamed, 0);
  if (unnamed > 0) search.suppose(`Exchanges that name none of the recorded companies are not compared: ${unnamed}.`);
  await search.improve();
  return new SecretRedactor(secrets).value(await search.report()) as CalibrationReport;
}

/** One exchange at a time, of which little is kept: archives are long. */
async function readAll(
  recordings: readonly (Iterable<HttpExchange> | AsyncIterable<HttpExchange>)[],
  { secretKey = "", source }: CalibrateOptions,
) {
  const files = "files" in source && source.files.length > 1 ? source.files : [];
  // A service may show in a body what only headers should carry.
  const secrets = new Set([secretKey]);
  const found: Recording[] = [];
  for (const [which, recording] of recordings.entries()) {
    const read: ReadEntry[] = [];
    let count = 0;
    for await (const exchange of recording) {
      const { place = count++ } = exchange;
      const entries = readEntry(exchange, place, files[which]);
      read.push(...entries);
      for (const secret of secretsOf(exchange, entries)) secrets.add(secret);
    }
    found.push(readRecording(read));
  }
  return { recordings: found, secrets: [...secrets].filter((secret) => secret !== "" && secret !== REDACTED) };
}

/** What only the client and the service may know. */
function secretsOf(exchange: HttpExchange, entries: readonly ReadEntry[]): readonly string[] {
  const bodies = entries.map(({ entry }) =>
    entry.kind === "webhook" ? entry.body : [parseBody(entry.body ?? ""), entry.answer?.body],
  );
  const headers = [...exchange.headers, ...(exchange.answer?.headers ?? [])].map(([name, value]) => ({
    [name]: value,
  }));
  const parameters = Object.fromEntries(new URL(exchange.url).searchParams);
  return [...credentialsOf(exchange), ...credentialsIn([bodies, headers, parameters])];
}

/** A choice that explains differences. */
interface Gain {
  readonly choice: Choice;
  readonly profile: ProfileOverrides;
  /** How much less differs. */
  readonly gain: number;
  readonly removed: readonly FoundDifference[];
}

class Search {
  readonly #tracks: readonly Track[];
  /** What is replayed of each, again and again. */
  #focused: readonly Track[] = [];
  /** Values that the traffic suggests, by the paths of settings. */
  readonly #suggested: ReadonlyMap<string, readonly Json[]>;
  readonly #options: CalibrateOptions;
  #profile: ProfileOverrides;
  /** What the chosen value of a setting has explained. */
  readonly #explained = new Map<string, readonly FoundDifference[]>();
  /** Choices of other settings that explained some of the same. */
  readonly #rivals = new Map<string, readonly Choice[]>();
  readonly #assumptions: string[] = [];

  constructor(tracks: readonly Track[], options: CalibrateOptions) {
    this.#tracks = tracks;
    this.#suggested = suggest(tracks.map(({ history }) => history));
    this.#options = options;
    this.#profile = options.profile;
  }

  /** Chooses the alternative that explains most, again and again, until none explains anything. */
  async improve(): Promise<void> {
    let least = Number.POSITIVE_INFINITY;
    for (;;) {
      await this.#focus();
      const weight = weigh(this.#tracks.flatMap(({ current }) => current.differences));
      if (weight >= least || !(await this.#improveFocused())) break;
      least = weight;
    }
    if (await this.#takeBack()) await this.#focus();
  }

  async #focus(): Promise<void> {
    for (const track of this.#tracks) await track.adopt(this.#profile);
    this.#focused = focusTracks(this.#tracks).map((track) => track.focused());
    await this.#adopt(this.#profile);
  }

  /** Gives a setting its first value back when all that differs with that value still differs: the choice only refuses a request in another way. */
  async #takeBack(): Promise<boolean> {
    let isTakenBack = false;
    for (const path of this.#explained.keys()) {
      const setting = findSetting(path);
      const usual = setting && withChoice(this.#profile, { path, value: valueIn(this.#options.profile, setting) });
      if (usual === undefined) continue;
      const trials = await this.#try(usual, path, () => true);
      if (trials.length === 0 || trials.some(({ before, after }) => without(after, before).length > 0)) continue;
      this.#explained.delete(path);
      this.#rivals.delete(path);
      await this.#adopt(usual);
      isTakenBack = true;
    }
    return isTakenBack;
  }

  suppose(assumption: string): void {
    this.#assumptions.push(assumption);
  }

  async #improveFocused(): Promise<boolean> {
    let isBetter = false;
    while (this.#differences().length > 0) {
      if (!(await this.#adoptFirst(await this.#gains()))) break;
      isBetter = true;
    }
    return isBetter;
  }

  /** The first of them with which less differs in all of the traffic. */
  async #adoptFirst(gains: readonly Gain[]): Promise<boolean> {
    const [profile, before] = [this.#profile, weigh(this.#differences())];
    for (const gain of gains) {
      await this.#adopt(gain.profile);
      if (weigh(this.#differences()) >= before) continue;
      this.#explained.set(gain.choice.path, gain.removed);
      this.#rivals.set(
        gain.choice.path,
        gains.map(({ choice }) => choice).filter(({ path }) => path !== gain.choice.path),
      );
      return true;
    }
    if (gains.length > 0) await this.#adopt(profile);
    return false;
  }

  async #adopt(profile: ProfileOverrides): Promise<void> {
    this.#profile = profile;
    for (const track of this.#focused) await track.adopt(profile);
  }

  #differences(): FoundDifference[] {
    return this.#focused.flatMap(({ current }) => current.differences);
  }

  #choices(): Choice[] {
    return settings
      .filter(({ path }) => isSelected(this.#options, path))
      .flatMap((setting) => this.#otherChoices(setting));
  }

  #otherChoices(setting: Setting): Choice[] {
    const { path } = setting;
    return choicesOf(setting, this.#valueOf(setting), this.#suggested.get(path)).map((value) => ({ path, value }));
  }

  /** The choices with which less differs, the best first. */
  async #gains(): Promise<Gain[]> {
    const gains: Gain[] = [];
    for (const choice of this.#choices()) {
      const profile = withChoice(this.#profile, choice);
      if (profile === undefined) continue;
      const trials = await this.#try(profile, choice.path, isDisputed);
      if (gainOf(trials) <= 0) continue;
      const all = [...trials, ...(await this.#try(profile, choice.path, isAgreed))];
      if (!clearsMost(all)) continue;
      const gain = gainOf(all);
      const removed = trials.flatMap(({ before, after }) => without(before, after));
      if (gain > 0) gains.push({ choice, profile, gain, removed });
    }
    return gains.toSorted((a, b) => b.gain - a.gain);
  }

  async #try(
    profile: ProfileOverrides,
    path: string,
    isWanted: (track: Track) => boolean,
    untilFirst = false,
  ): Promise<Trial[]> {
    const always = UNSEEN_GROUPS.has(groupOf(path));
    const numbers = groupOf(path) === "testNumbers" ? [this.#profile, profile].map((one) => numberAt(one, path)) : [];
    const trials: Trial[] = [];
    for (const track of this.#focused) {
      if (!isWanted(track) || (numbers.length > 0 && !track.mentions(numbers))) continue;
      const trial = await track.try(profile, { path, always, untilFirst });
      if (trial !== undefined) trials.push(trial);
    }
    return trials;
  }

  async report(): Promise<CalibrationReport> {
    const rows: CalibratedSetting[] = [];
    const undecided = await this.#undecided();
    for (const setting of settings) {
      if (!isSelected(this.#options, setting.path)) continue;
      const row = await this.#judge(setting);
      rows.push(undecided.has(setting.path) ? { ...row, state: "open" } : row);
    }
    const differences = this.#tracks.flatMap(({ current }) => current.differences);
    const drift = groupDrift(differences, this.#tracks);
    const perExchange = groupBy(differences, ({ exchange }) => exchange).values();
    if ([...perExchange].some(({ length }) => length >= DIFFERENCES_MAX)) {
      this.suppose(`Of a body that differs in more places, only the first ${DIFFERENCES_MAX} are compared.`);
    }
    const entries = this.#tracks.flatMap(({ history }) => history.entries);
    const starts = this.#tracks.flatMap(({ history }) => history.entries.slice(0, 1).map(({ at }) => at));
    const ends = this.#tracks.flatMap(({ history }) => history.entries.slice(-1).map(({ at }) => at));
    const webhooks = entries.filter(({ kind }) => kind === "webhook").length;
    // The token may be wrong for all of it.
    const judged = this.#tracks.filter(({ history }) => history.entries.some(isBeyondToken));
    const compared = judged.flatMap(({ current }) => [...current.compared.values()]);
    const count = (state: CalibratedSetting["state"]): number => rows.filter((row) => row.state === state).length;
    return {
      verb: "calibrate",
      source: {
        files: null,
        target: null,
        ...this.#options.source,
        exchanges: entries.length - webhooks,
        webhooks,
        compared: compared.reduce((sum, one) => sum + one, 0),
        from: starts.length === 0 ? null : toIso(Math.min(...starts)),
        to: ends.length === 0 ? null : toIso(Math.max(...ends)),
      },
      settings: rows,
      drift,
      assumptions: [...new Set([...this.#tracks.flatMap(({ assumptions }) => assumptions), ...this.#assumptions])],
      counts: {
        confirmed: count("confirmed"),
        set: count("set"),
        open: count("open"),
        contradicted: count("contradicted"),
        drift: drift.length,
      },
    };
  }

  /** Settings of which one or another explains the traffic just as well. */
  async #undecided(): Promise<ReadonlySet<string>> {
    const undecided = new Set<string>();
    for (const setting of settings) {
      const { path } = setting;
      const usual = { path, value: valueIn(this.#options.profile, setting) };
      for (const rival of this.#rivals.get(path) ?? []) {
        const profile = this.#explained.has(rival.path) ? undefined : withChoice(this.#profile, usual, rival);
        if (profile === undefined) continue;
        const trials = await Promise.all(this.#focused.map((track) => track.try(profile, { path, always: true })));
        if (gainOf(trials.flatMap((trial) => trial ?? [])) < 0) continue;
        this.#addAlso(setting, [`${rival.path}: ${JSON.stringify(rival.value)}`]);
        undecided.add(path).add(rival.path);
      }
    }
    return undecided;
  }

  #addAlso(setting: Setting, others: readonly string[]): void {
    const value = JSON.stringify(this.#valueOf(setting));
    this.#assumptions.push(`${setting.path}: ${value} explains the recording, but so does ${others.join(", ")}.`);
  }

  /** Tries all other values once more, now that the others are known. */
  async #judge(setting: Setting): Promise<CalibratedSetting> {
    const { path } = setting;
    const value = this.#valueOf(setting);
    const before = valueIn(this.#options.profile, setting);
    const evidenceOf = (differences: readonly FoundDifference[]): Evidence[] =>
      differences
        .slice(0, EVIDENCE_MAX)
        .map((difference) => ({ pointer: difference.pointer, ...exampleOf(difference) }));
    const row = { path, value, default: before };
    const added: FoundDifference[] = [];
    const equals: Json[] = [];
    for (const choice of this.#otherChoices(setting)) {
      const profile = withChoice(this.#profile, choice);
      if (profile === undefined) continue;
      const disputed = await this.#try(profile, path, isDisputed);
      const agreed = disputed.some(({ after, before }) => without(after, before).length > 0)
        ? []
        : await this.#firstWorse(profile, path);
      const trials = [...disputed, ...agreed];
      const worse = trials.flatMap((trial) => without(trial.after, trial.before));
      const better = trials.flatMap((trial) => explainedBy(trial.before, trial.after));
      const isHidden = worse.some(hides) && !better.some(hides);
      const contradicts =
        !isHidden && better.length > 0 && trials.some((trial) => explainedBy(trial.after, trial.before).length > 0);
      if (contradicts) {
        return { ...row, state: "contradicted", evidence: evidenceOf([...better.slice(0, 2), ...worse.slice(0, 1)]) };
      }
      if (worse.length === 0) equals.push(choice.value);
      added.push(...worse.slice(0, 1));
    }
    const explained = isChanged({ value, default: before }) ? this.#explained.get(path) : undefined;
    if (explained !== undefined && equals.length > 0) {
      this.#addAlso(
        setting,
        equals.map((other) => JSON.stringify(other)),
      );
    }
    // Limits are known as far as they were tried.
    const isLimit = explained !== undefined && !equals.includes(before) && equals.every(isNumber);
    if ((equals.length > 0 && !isLimit) || added.length === 0) {
      return { ...row, state: "open", evidence: evidenceOf(explained ?? []) };
    }
    if (explained === undefined) return { ...row, state: "confirmed", evidence: evidenceOf(added) };
    return { ...row, state: "set", evidence: evidenceOf(explained) };
  }

  /** The first of the histories without differences that a value gives some. */
  async #firstWorse(profile: ProfileOverrides, path: string): Promise<Trial[]> {
    for (const track of this.#focused) {
      const trials = await this.#try(profile, path, (other) => other === track && isAgreed(other), true);
      if (trials.some(({ after }) => after.length > 0)) return trials;
    }
    return [];
  }

  #valueOf(setting: Setting): Json {
    return valueIn(this.#profile, setting);
  }
}

function isBeyondToken(entry: Entry): boolean {
  return entry.kind === "webhook" || (entry.answer !== undefined && entry.answer.status !== 401);
}

function isAgreed({ current }: Track): boolean {
  return current.differences.length === 0;
}

function isDisputed(track: Track): boolean {
  return !isAgreed(track);
}

function isNumber(value: Json): boolean {
  return typeof value === "number";
}

/** False when a value makes more exchanges differ that agreed than it makes agree. One webhook that is missing weighs more than many fields, but proves less. */
function clearsMost(trials: readonly Trial[]): boolean {
  const countOf = (differences: readonly FoundDifference[]): number =>
    new Set(differences.map(({ exchange }) => exchange)).size;
  const cleared = trials.reduce((sum, { before, after }) => sum + countOf(explainedBy(before, after)), 0);
  const broken = trials.reduce((sum, { before, after }) => sum + countOf(explainedBy(after, before)), 0);
  return broken <= cleared;
}

function gainOf(trials: readonly Trial[]): number {
  return trials.reduce((sum, { before, after }) => sum + weigh(before) - weigh(after), 0);
}

/** Groups whose settings are read only where they apply, so that what was not read may apply all the same. */
export const UNSEEN_GROUPS: ReadonlySet<string> = new Set(["testNumbers", "rateLimit", "server"]);

function numberAt(profile: ProfileOverrides, path: string): string {
  const setting = findSetting(path);
  const number = setting === undefined ? undefined : valueIn(profile, setting);
  return typeof number === "string" ? number : "";
}

function valueIn(profile: ProfileOverrides, { path }: Setting): Json {
  const parsed = parseProfile(profile);
  if (!parsed.ok) throw new Bug(`The profile of a calibration is wrong: ${JSON.stringify(parsed.problems)}`);
  const [group = "", name] = path.split(".");
  const member = parsed.values[group];
  return (name === undefined ? member : isObject(member) ? (member[name] as Json) : null) ?? null;
}
