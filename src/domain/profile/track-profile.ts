import type { Profile } from "./profile.js";

/**
 * Finds out which settings an answer depends on. There is one for each sandbox. While `collect` runs, it notes the settings that are read from
 * tracked profiles, by path (`transfers.settlement`).
 *
 * `run` must be synchronous: what it reads after an `await` would count for another request.
 */
export class SettingReads {
  #paths: Set<string> | undefined;

  collect<T>(into: Set<string>, run: () => T): T {
    const outer = this.#paths;
    this.#paths = into;
    try {
      return run();
    } finally {
      this.#paths = outer;
    }
  }

  /** Like `collect`, but inside another `collect` the outer one gets the settings. For work that may or may not be part of a request. */
  collectOutside<T>(into: Set<string>, run: () => T): T {
    return this.#paths === undefined ? this.collect(into, run) : run();
  }

  note(paths: Iterable<string>): void {
    for (const path of paths) this.#paths?.add(path);
  }
}

/** What a tracked profile has besides its settings. */
interface Tracking {
  readonly reads: SettingReads;
  /** Values that were built from this profile, with the settings they were built from. */
  readonly built: Map<unknown, { readonly value: unknown; readonly paths: ReadonlySet<string> }>;
}

const tracking = Symbol("tracking");
type Tracked = Profile & { readonly [tracking]?: Tracking };

/** Notes settings that have an effect without being read at this moment. */
export function touchSettings(profile: Tracked, paths: Iterable<string>): void {
  profile[tracking]?.reads.note(paths);
}

/** Makes a function that builds its value once for each tracked profile. The settings that were read then count as read at each use. */
export function oncePerProfile<T>(build: (profile: Profile) => T): (profile: Profile) => T {
  return (profile: Tracked) => {
    const known = profile[tracking];
    if (known === undefined) return build(profile);
    // The map holds under each function what that function built.
    const found = known.built.get(build) as { readonly value: T; readonly paths: ReadonlySet<string> } | undefined;
    if (found !== undefined) {
      known.reads.note(found.paths);
      return found.value;
    }
    const paths = new Set<string>();
    const value = known.reads.collect(paths, () => build(profile));
    known.built.set(build, { value, paths });
    known.reads.note(paths);
    return value;
  };
}

/**
 * The same profile, which notes each setting that is read. Reading `rateLimit` and `testNumbers` is not noted, because every request reads them to
 * check whether they apply: the code that applies one calls `touchSettings`.
 */
export function trackProfile(profile: Profile, reads: SettingReads): Profile {
  const tracked: Tracked = { ...profile };
  for (const [name, group] of Object.entries(profile)) {
    if (group === null || name === "rateLimit" || name === "testNumbers") continue;
    if (typeof group === "object") Object.defineProperty(tracked, name, { value: trackGroup(name, group, reads) });
    else trackMember(tracked, name, group, name, reads);
  }
  return Object.defineProperty(tracked, tracking, { value: { reads, built: new Map() } satisfies Tracking });
}

function trackGroup(name: string, group: object, reads: SettingReads): object {
  const tracked = {};
  for (const [member, value] of Object.entries(group)) trackMember(tracked, member, value, `${name}.${member}`, reads);
  return tracked;
}

function trackMember(tracked: object, member: string, value: unknown, path: string, reads: SettingReads): void {
  const paths = [path];
  const get = (): unknown => {
    reads.note(paths);
    return value;
  };
  Object.defineProperty(tracked, member, { enumerable: true, get });
}
