import type { Setting } from "../../domain/profile/setting.js";
import { type ProfileOverrides, settings } from "../../domain/profile/settings.js";
import type { Json } from "../../kernel/messages/json.js";
import type { FoundDifference } from "../replay/compare.js";
import { type CalibratedSetting, type Evidence, assumeStandIn, isChanged } from "../report/report.js";
import { type Trial, withChoice } from "./bench.js";
import { exampleOf } from "./drift.js";
import { explainedBy, hides, without } from "./score.js";
import { type Search, gainOf, isAgreed, isDisputed } from "./search.js";

const EVIDENCE_MAX = 3;

/** Decides what the traffic shows about each setting, once a search has ended. */
export class Judge {
  readonly #search: Search;
  readonly assumptions: string[] = [];

  constructor(search: Search) {
    this.#search = search;
  }

  async judgeAll(selected: readonly Setting[]): Promise<CalibratedSetting[]> {
    const undecided = await this.#undecided();
    const rows: CalibratedSetting[] = [];
    for (const setting of selected) {
      const row = await this.#judge(setting);
      rows.push(undecided.has(setting.path) ? { ...row, state: "open" } : row);
      if (row.state === "set") this.#addStandIn(setting, row.default);
    }
    // Stand-ins in the given profile, which an earlier calibration has chosen.
    for (const setting of settings) {
      if (this.#search.valueOf(setting) === this.#search.firstValueOf(setting))
        this.#addStandIn(setting, setting.default);
    }
    return rows;
  }

  #addStandIn(setting: Setting, other: Json): void {
    if (!this.#search.isStandIn(setting)) return;
    this.assumptions.push(assumeStandIn(setting.path, this.#search.valueOf(setting), other));
  }

  /** The paths of settings that were chosen, and of others that would explain the traffic just as well in their place. */
  async #undecided(): Promise<ReadonlySet<string>> {
    const { rivals, explained, focused, profile: chosen } = this.#search;
    const undecided = new Set<string>();
    for (const setting of settings) {
      const { path } = setting;
      const usual = { path, value: this.#search.firstValueOf(setting) };
      for (const rival of rivals.get(path) ?? []) {
        const profile = explained.has(rival.path) ? undefined : withChoice(chosen, usual, rival);
        if (profile === undefined) continue;
        const trials = await Promise.all(focused.map((track) => track.try(profile, { path, always: true })));
        if (gainOf(trials.flatMap((trial) => trial ?? [])) < 0) continue;
        this.#addAlso(setting, [`${rival.path}: ${JSON.stringify(rival.value)}`]);
        undecided.add(path).add(rival.path);
      }
    }
    return undecided;
  }

  async #judge(setting: Setting): Promise<CalibratedSetting> {
    const { path } = setting;
    const value = this.#search.valueOf(setting);
    const first = this.#search.firstValueOf(setting);
    const row = { path, value, default: first };
    const { contradiction, equals, worse } = await this.#tryOthers(setting);
    if (contradiction !== undefined) return { ...row, state: "contradicted", evidence: evidenceOf(contradiction) };
    const explained = isChanged(row) ? this.#search.explained.get(path) : undefined;
    if (explained !== undefined && equals.length > 0) {
      const others = equals.map((other) => JSON.stringify(other));
      this.#addAlso(setting, others);
    }
    // A limit counts as known even if other limits explain the traffic as well: it is only as exact as what was tried.
    const isLimit = explained !== undefined && !equals.includes(first) && equals.every(isNumber);
    if ((equals.length > 0 && !isLimit) || worse.length === 0) {
      return { ...row, state: "open", evidence: evidenceOf(explained ?? []) };
    }
    if (explained === undefined) return { ...row, state: "confirmed", evidence: evidenceOf(worse) };
    return { ...row, state: "set", evidence: evidenceOf(explained) };
  }

  /** Tries all other values once more, now that the other settings are known. */
  async #tryOthers(setting: Setting): Promise<Others> {
    const equals: Json[] = [];
    const worse: FoundDifference[] = [];
    for (const choice of this.#search.otherChoices(setting)) {
      const profile = withChoice(this.#search.profile, choice);
      if (profile === undefined) continue;
      const trials = await this.#tryOn(profile, setting.path);
      const added = trials.flatMap((trial) => without(trial.after, trial.before));
      const removed = trials.flatMap((trial) => explainedBy(trial.before, trial.after));
      // A request that is refused in another way causes no webhook.
      const isRefused = added.some(({ kind }) => kind === "status");
      const isHidden =
        added.some(hides) && !removed.some((one) => hides(one) && !(isRefused && one.kind === "missing"));
      const isWorseToo = trials.some((trial) => explainedBy(trial.after, trial.before).length > 0);
      if (!isHidden && removed.length > 0 && isWorseToo) {
        return { contradiction: [...removed.slice(0, 2), ...added.slice(0, 1)], equals, worse };
      }
      if (added.length === 0) equals.push(choice.value);
      worse.push(...added.slice(0, 1));
    }
    return { contradiction: undefined, equals, worse };
  }

  /** Tries a profile on the histories with differences, and on the others only when nothing gets worse there. */
  async #tryOn(profile: ProfileOverrides, path: string): Promise<Trial[]> {
    const disputed = await this.#search.try(profile, path, isDisputed);
    const isWorse = disputed.some(({ after, before }) => without(after, before).length > 0);
    return isWorse ? disputed : [...disputed, ...(await this.#firstWorse(profile, path))];
  }

  /** The trials of the first history that had no differences and has some with this profile. */
  async #firstWorse(profile: ProfileOverrides, path: string): Promise<Trial[]> {
    for (const track of this.#search.focused) {
      const trials = await this.#search.try(profile, path, (other) => other === track && isAgreed(other));
      if (trials.some(({ after }) => after.length > 0)) return trials;
    }
    return [];
  }

  #addAlso(setting: Setting, others: readonly string[]): void {
    const value = JSON.stringify(this.#search.valueOf(setting));
    this.assumptions.push(`${setting.path}: ${value} explains the recording, but so does ${others.join(", ")}.`);
  }
}

/** What the other values of a setting do. */
interface Others {
  /** Set when the chosen value explains some of the traffic, and another value the rest. */
  readonly contradiction: readonly FoundDifference[] | undefined;
  /** Values that explain the traffic just as well. */
  readonly equals: readonly Json[];
  /** A difference for each value that explains less. */
  readonly worse: readonly FoundDifference[];
}

function evidenceOf(differences: readonly FoundDifference[]): Evidence[] {
  const examples = differences.slice(0, EVIDENCE_MAX);
  return examples.map((difference) => ({ pointer: difference.pointer, ...exampleOf(difference) }));
}

function isNumber(value: Json): boolean {
  return typeof value === "number";
}
