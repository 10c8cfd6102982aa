import { isDeepStrictEqual } from "node:util";
import { type Alternative, profileOf } from "../../domain/profile/alternatives.js";
import { mergeOverrides } from "../../domain/profile/overrides.js";
import { type ProfileOverrides, groupOf } from "../../domain/profile/settings.js";
import { acceptProfile } from "../../sandbox/state/profile.js";
import { UNSEEN_GROUPS } from "../infer/search.js";
import { readComparable } from "../replay/compare.js";
import type { Probe } from "./probe.js";
import type { FetchTo } from "../replay/replay.js";
import { type RehearsedScenario, openRehearsal } from "./rehearse.js";

export interface ChosenProbe extends Probe {
  /** The settings whose values it distinguishes and no earlier one does, by their paths. */
  readonly shows: readonly string[];
}

/**
 * Chooses, greedily, the probes with the fewest requests that distinguish each alternative from the profile in use, in the order in which they run. A probe
 * that moves money is chosen only for an alternative that no other probe shows. Each probe is played in companies with the profile and with the alternative,
 * and shows the alternative when its traffic differs.
 */
export async function chooseProbes(
  probes: readonly Probe[],
  alternatives: readonly Alternative[],
  { profile, fetchTo }: { readonly profile: ProfileOverrides; readonly fetchTo: FetchTo },
): Promise<readonly ChosenProbe[]> {
  const rehearsal = openRehearsal(fetchTo);
  try {
    const shown = new Map<Probe, Set<Alternative>>();
    for (const probe of probes) {
      const [usual] = await rehearsal.play([probe.scenario], profile);
      const shows = new Set<Alternative>();
      const mayShow = ({ setting: { path } }: Alternative): boolean =>
        usual?.read.has(path) === true || UNSEEN_GROUPS.has(groupOf(path));
      for (const alternative of alternatives.filter(mayShow)) {
        const [varied] = await rehearsal.play([probe.scenario], overridesOf(profile, alternative));
        if (!isDeepStrictEqual(comparableIn(varied), comparableIn(usual))) shows.add(alternative);
      }
      shown.set(probe, shows);
    }
    return cover(shown);
  } finally {
    await rehearsal.close();
  }
}

/** The traffic without the words of error messages, which calibrate does not compare. */
function comparableIn(rehearsed: RehearsedScenario | undefined) {
  return rehearsed?.exchanges.map(({ answer, ...request }) => ({
    ...request,
    answer: answer && { ...answer, body: readComparable(answer.body) },
  }));
}

function overridesOf(profile: ProfileOverrides, alternative: Alternative): ProfileOverrides {
  return acceptProfile(mergeOverrides(profile, profileOf([alternative]))).overrides;
}

/** Chooses greedily, then leaves out probes whose alternatives the other chosen ones show too. */
function cover(shown: ReadonlyMap<Probe, ReadonlySet<Alternative>>): ChosenProbe[] {
  const showable = new Set([...shown.values()].flatMap((alternatives) => [...alternatives]));
  let chosen: Probe[] = [];
  for (const open = new Set(showable); open.size > 0;) {
    const gain = (probe: Probe): number => shownFirstBy(probe, open).length / probe.requests;
    const useful = [...shown.keys()].filter((probe) => gain(probe) > 0);
    const [best] = useful.toSorted((a, b) => Number(a.movesMoney) - Number(b.movesMoney) || gain(b) - gain(a));
    if (best === undefined) break;
    chosen.push(best);
    for (const alternative of shownFirstBy(best, open)) open.delete(alternative);
  }
  for (const probe of chosen.toReversed()) {
    const others = chosen.filter((other) => other !== probe);
    const shownByOthers = new Set(others.flatMap((other) => [...(shown.get(other) ?? [])]));
    if (shownByOthers.size === showable.size) chosen = others;
  }
  const open = new Set(showable);
  return chosen.map((probe) => {
    const first = shownFirstBy(probe, open);
    for (const alternative of first) open.delete(alternative);
    return { ...probe, shows: [...new Set(first.map(({ setting }) => setting.path))] };
  });

  function shownFirstBy(probe: Probe, open: ReadonlySet<Alternative>): Alternative[] {
    return [...(shown.get(probe) ?? [])].filter((alternative) => open.has(alternative));
  }
}
