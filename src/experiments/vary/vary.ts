import { stringify } from "yaml";
import { sourceOf } from "../../domain/profile/setting.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";
import { UsageError } from "../../kernel/messages/problem.js";
import type { RunOnce, RunResult } from "../run/experiment.js";
import type { Baseline } from "../run/oracle.js";
import { type Budget, Pool } from "../run/pool.js";
import { type Kept, describeBaseline } from "../run/report-baseline.js";
import { type BaselineOptions, runBaseline } from "../run/run-baseline.js";
import {
  type Alternative,
  type ReadSetting,
  type SettingSelection,
  alternativesOf,
  assertSettings,
  isSame,
  isSelected,
  profileOf,
  unread,
} from "../../domain/profile/alternatives.js";
import { describeChange } from "./describe-change.js";
import type { Question, VariedSetting, VaryReport } from "./report.js";

export interface VaryOptions extends Budget, BaselineOptions, SettingSelection {
  readonly command: readonly string[];
  readonly seed: number;
  /** Whether to vary also two settings at a time, of those that make no difference alone. */
  readonly pairs: boolean;
  /** Values that are known to be right. Settings that have these values are not varied. Default: none. */
  readonly known?: readonly ReadSetting[] | undefined;
  /** Keeps the profile that makes a difference and what the command printed. */
  readonly keep?: (id: string, profile: ProfileOverrides, printed: string) => Promise<Kept>;
  readonly onRun?: (row: VariedSetting, done: number, total: number) => void;
}

/** What is different in a run: one alternative, or two. */
interface PlannedVariation {
  readonly id: string;
  readonly alternatives: readonly Alternative[];
}

export interface VaryPlan {
  readonly baseline: Baseline;
  readonly timeoutMs: number;
  readonly variations: readonly PlannedVariation[];
  /** The settings that are not varied because they have the values that are known to be right. */
  readonly known: readonly string[];
}

/** Runs the command without a difference, and plans a run for each alternative of each setting that was read. */
export async function planVariations(runOnce: RunOnce, options: VaryOptions): Promise<VaryPlan> {
  assertSettings(options);
  const { baseline, timeoutMs } = await runBaseline(runOnce, options);
  const alternatives = alternativesOf(baseline.result.seen.settings);
  const selected = alternatives.filter(({ setting }) => isSelected(options, setting.path));
  const isKnown = ({ setting, before }: Alternative): boolean => {
    const known = options.known?.find(({ path }) => path === setting.path);
    return known !== undefined && isSame(setting, known.value, before);
  };
  return {
    baseline,
    timeoutMs,
    variations: numbered(selected.filter((each) => !isKnown(each)).map((alternative) => [alternative])),
    known: [...new Set(selected.filter(isKnown).map(({ setting }) => setting.path))],
  };
}

function numbered(variations: readonly (readonly Alternative[])[], from = 0): PlannedVariation[] {
  return variations.map((alternatives, at) => ({ id: String(from + at + 1).padStart(2, "0"), alternatives }));
}

/** Runs the command once for each alternative, and reports which make a difference. */
export async function vary(runOnce: RunOnce, plan: VaryPlan, options: VaryOptions): Promise<VaryReport> {
  const { baseline, variations } = plan;
  const session: Session = { runOnce, plan, options, notes: [] };
  const pool = new Pool<Finished>(options, ({ row }, done, total) => options.onRun?.(row, done, total));
  const single = await pool.run(variations, (variation) => runVariation(session, variation));
  const pairs = options.pairs ? pairsOf(single, variations.length) : [];
  const double = await pool.run(pairs, (variation) => runVariation(session, variation));
  const missed = unread(baseline.result.seen.settings).filter(({ path }) => isSelected(options, path));
  const rows = [...single, ...double].map(({ row }) => row);
  const settings = [
    ...rows,
    ...missed.map(({ path, default: value }): VariedSetting => ({
      id: null,
      path,
      default: value,
      alternative: null,
      verdict: "not-met",
      change: null,
      repeat: null,
      output: null,
    })),
  ];
  const count = (verdict: VariedSetting["verdict"]): number => settings.filter((row) => row.verdict === verdict).length;
  return {
    verb: "vary",
    command: options.command,
    seed: options.seed,
    baseline: describeBaseline(baseline),
    settings,
    questions: questionsOf([...single, ...double]),
    counts: { depends: count("depends"), independent: count("independent"), "not-met": missed.length },
    stopped: pool.stopped,
    notes: [...baseline.notes, ...knownNotes(plan, options), ...session.notes],
  };
}

function knownNotes({ baseline, known: used }: VaryPlan, { known = [] }: VaryOptions): string[] {
  const alternatives = alternativesOf(baseline.result.seen.settings);
  const others = known.filter(({ path, value }) => {
    const alternative = alternatives.find(({ setting }) => setting.path === path);
    return alternative !== undefined && !isSame(alternative.setting, value, alternative.before);
  });
  return [
    ...(used.length === 0 ? [] : [`Known by the calibration, so not varied: ${used.join(", ")}.`]),
    ...others.map(({ path }) => `${path} is another than the calibration found. Give its profile with --profile.`),
  ];
}

interface Session {
  readonly runOnce: RunOnce;
  readonly plan: VaryPlan;
  readonly options: VaryOptions;
  readonly notes: string[];
}

interface Finished {
  readonly variation: PlannedVariation;
  readonly row: VariedSetting;
}

/** Runs the command with one variation. Undefined when it was stopped before its end, and when the alternative contradicts other settings. */
async function runVariation(session: Session, variation: PlannedVariation): Promise<Finished | undefined> {
  const { plan, options, notes } = session;
  const { id, alternatives } = variation;
  const profile = profileOf(alternatives);
  const path = alternatives.map(({ setting }) => setting.path).join(" + ");
  const result = await runWith(session, id, profile).catch((error: unknown) => {
    if (!(error instanceof UsageError) || error.kind !== "input") throw error;
    notes.push(`${path} was not varied: ${error.message}`);
    return undefined;
  });
  if (result === undefined || options.signal.aborted) return undefined;
  const seen = describeChange(plan.baseline, result, plan.timeoutMs);
  const again = seen === null ? undefined : await runWith(session, `${id}-again`, profile);
  const isFlaky = again !== undefined && describeChange(plan.baseline, again, plan.timeoutMs) === null;
  if (isFlaky && !options.signal.aborted) notes.push(`${path}: a difference was seen in one of two runs. ${seen}`);
  const change = isFlaky ? null : seen;
  const [before, after] = [alternatives.map(({ before }) => before), alternatives.map(({ after }) => after)];
  const kept = change === null ? undefined : await options.keep?.(id, profile, result.printed);
  const row: VariedSetting = {
    id,
    path,
    default: before.length === 1 ? (before[0] ?? null) : before,
    alternative: after.length === 1 ? (after[0] ?? null) : after,
    verdict: change === null ? "independent" : "depends",
    change,
    repeat: kept?.repeat ?? null,
    output: kept?.output ?? null,
  };
  return { variation, row };
}

function runWith({ runOnce, plan, options }: Session, id: string, profile: ProfileOverrides): Promise<RunResult> {
  return runOnce({ id, rules: [], profile }, { timeoutMs: plan.timeoutMs, signal: options.signal });
}

/** Two settings at a time, each of which makes no difference alone. */
function pairsOf(finished: readonly Finished[], from: number): PlannedVariation[] {
  const alone = finished.flatMap(({ row, variation: { alternatives } }) =>
    row.verdict === "independent" ? alternatives : [],
  );
  const pairs = alone.flatMap((one, at) =>
    alone.slice(at + 1).flatMap((other) => (one.setting.path === other.setting.path ? [] : [[one, other]])),
  );
  return numbered(pairs, from);
}

function questionsOf(finished: readonly Finished[]): Question[] {
  const depending = finished.flatMap(({ row: { change }, variation: { alternatives } }) =>
    change === null
      ? []
      : alternatives.map((alternative) => {
          const other = alternatives.find((each) => each !== alternative);
          const together =
            other === undefined ? "" : `Together with ${other.setting.path}: ${JSON.stringify(other.after)}: `;
          return { ...alternative, change: together + change };
        }),
  );
  const paths = [...new Set(depending.map(({ setting }) => setting.path))];
  return paths.flatMap((path) => {
    const answers = depending.filter(({ setting }) => setting.path === path);
    const [first] = answers;
    if (first === undefined) return [];
    return {
      path,
      contract: sourceOf(first.setting),
      question: first.setting.question,
      default: first.before,
      ifOtherwise: answers.map((answer) => ({
        answer: answer.after,
        effect: answer.effect,
        change: answer.change,
        set: stringify(profileOf([answer])),
      })),
    };
  });
}
