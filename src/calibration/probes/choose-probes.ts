import { isDeepStrictEqual } from "node:util";
import { type Alternative, profileOf } from "../../domain/profile/alternatives.js";
import { mergeOverrides } from "../../domain/profile/overrides.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";
import { acceptProfile } from "../../sandbox/state/profile.js";
import type { Probe } from "./probe.js";
import { type FetchTo, openRehearsal } from "./rehearse.js";

export interface ChosenProbe extends Probe {
  /** The settings of which it tells readings apart that no earlier one does, by their paths. */
  readonly tells: readonly string[];
}

export interface ProbePlan {
  /** In the order in which they run. */
  readonly chosen: readonly ChosenProbe[];
  /** Settings with a reading that no chosen probe tells apart, by their paths. */
  readonly untold: readonly string[];
}

/**
 * The fewest requests, by the greedy rule, that tell each alternative from the profile in use: each probe is played in companies with the one and with the
 * other, and tells them apart when its traffic differs.
 */
export async function chooseProbes(
  probes: readonly Probe[],
  alternatives: readonly Alternative[],
  { profile, fetchTo }: { readonly profile: ProfileOverrides; readonly fetchTo: FetchTo },
): Promise<ProbePlan> {
  const rehearsal = openRehearsal(fetchTo);
  try {
    const told = new Map<Probe, Set<Alternative>>();
    for (const probe of probes) {
      const [usual] = await rehearsal.play([probe.scenario], profile);
      const tells = new Set<Alternative>();
      for (const alternative of alternatives.filter(({ setting }) => usual?.read.has(setting.path))) {
        const [varied] = await rehearsal.play([probe.scenario], overridesOf(profile, alternative));
        if (!isDeepStrictEqual(varied?.exchanges, usual?.exchanges)) tells.add(alternative);
      }
      told.set(probe, tells);
    }
    return cover(told, alternatives);
  } finally {
    await rehearsal.close();
  }
}

function overridesOf(profile: ProfileOverrides, alternative: Alternative): ProfileOverrides {
  return acceptProfile(mergeOverrides(profile, profileOf([alternative]))).overrides;
}

/** The greedy rule may take a probe whose news others bring along: such ones are left out again. */
function cover(told: ReadonlyMap<Probe, ReadonlySet<Alternative>>, alternatives: readonly Alternative[]): ProbePlan {
  const tellable = new Set([...told.values()].flatMap((tells) => [...tells]));
  let chosen: Probe[] = [];
  for (const open = new Set(tellable); open.size > 0;) {
    const gain = (probe: Probe): number => newsOf(probe, open).length / probe.requests;
    const [best] = [...told.keys()].toSorted((a, b) => gain(b) - gain(a));
    if (best === undefined) break;
    chosen.push(best);
    for (const alternative of newsOf(best, open)) open.delete(alternative);
  }
  for (const probe of chosen) {
    const others = chosen.filter((other) => other !== probe);
    const toldByOthers = new Set(others.flatMap((other) => [...(told.get(other) ?? [])]));
    if (toldByOthers.size === tellable.size) chosen = others;
  }
  const open = new Set(tellable);
  const withNews = chosen.map((probe) => {
    const news = newsOf(probe, open);
    for (const alternative of news) open.delete(alternative);
    return { ...probe, tells: pathsOf(news) };
  });
  return { chosen: withNews, untold: pathsOf(alternatives.filter((alternative) => !tellable.has(alternative))) };

  function newsOf(probe: Probe, open: ReadonlySet<Alternative>): Alternative[] {
    return [...(told.get(probe) ?? [])].filter((alternative) => open.has(alternative));
  }
}

function pathsOf(alternatives: readonly Alternative[]): string[] {
  return [...new Set(alternatives.map(({ setting }) => setting.path))];
}
