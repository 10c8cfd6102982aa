import type { Profile } from "./profile.js";

/** Collects the paths of settings that were read, each once. */
export class SettingSet {
  readonly #paths = new Set<string>();

  add(path: string): void {
    this.#paths.add(path);
  }

  get paths(): readonly string[] {
    return [...this.#paths];
  }
}

/**
 * Provenance: "each open point touched while answering is recorded with the request". One per sandbox. While `collect` runs, it notes the settings
 * that are read from tracked profiles, by their paths (`transfers.settlement`).
 *
 * `run` must be synchronous: what it reads after an `await` would count for another request.
 */
export class SettingReads {
  #set: SettingSet | undefined;

  collect<T>(into: SettingSet, run: () => T): T {
    const outer = this.#set;
    this.#set = into;
    try {
      return run();
    } finally {
      this.#set = outer;
    }
  }

  /** As `collect`, but inside of another `collect` that one has priority. For work that may or may not be part of a request. */
  collectOutside<T>(into: SettingSet, run: () => T): T {
    return this.#set === undefined ? this.collect(into, run) : run();
  }

  note(paths: Iterable<string>): void {
    if (this.#set !== undefined) for (const path of paths) this.#set.add(path);
  }
}

/** What a tracked profile has beside its settings. */
interface Tracking {
  readonly reads: SettingReads;
  /** Values that were built from this profile, with the settings they were built from. */
  readonly built: Map<unknown, { readonly value: unknown; readonly paths: readonly string[] }>;
}

const tracking = Symbol("tracking");
type Tracked = Profile & { readonly [tracking]?: Tracking };

/** Notes settings that have an effect now without being read now. */
export function touchSettings(profile: Tracked, paths: Iterable<string>): void {
  profile[tracking]?.reads.note(paths);
}

/** A function of the profile that builds its value once for each tracked profile. The settings it read then count as read at each use. */
export function oncePerProfile<T>(build: (profile: Profile) => T): (profile: Profile) => T {
  return (profile: Tracked) => {
    const known = profile[tracking];
    if (known === undefined) return build(profile);
    // What is stored under a function is what that function built.
    const found = known.built.get(build) as { readonly value: T; readonly paths: readonly string[] } | undefined;
    if (found !== undefined) {
      known.reads.note(found.paths);
      return found.value;
    }
    const set = new SettingSet();
    const value = known.reads.collect(set, () => build(profile));
    known.built.set(build, { value, paths: set.paths });
    known.reads.note(set.paths);
    return value;
  };
}

/**
 * The same profile, noting each setting that is read. Reading `rateLimit` and `testNumbers` is not noted, since every request reads them to see
 * whether they apply: the code that applies one calls `touchSettings`.
 */
export function trackProfile(profile: Profile, reads: SettingReads): Profile {
  const tracked: Tracked = {
    http: track("http", profile.http, reads),
    auth: track("auth", profile.auth, reads),
    errors: track("errors", profile.errors, reads),
    transfers: track("transfers", profile.transfers, reads),
    batch: track("batch", profile.batch, reads),
    charges: track("charges", profile.charges, reads),
    refunds: track("refunds", profile.refunds, reads),
    customers: track("customers", profile.customers, reads),
    webhooks: track("webhooks", profile.webhooks, reads),
    paging: track("paging", profile.paging, reads),
    rateLimit: profile.rateLimit,
    server: track("server", profile.server, reads),
    testNumbers: profile.testNumbers,
  };
  return Object.defineProperty(tracked, tracking, { value: { reads, built: new Map() } satisfies Tracking });
}

function track<Group extends object>(name: keyof Profile, group: Group, reads: SettingReads): Group {
  const tracked = { ...group };
  for (const [member, value] of Object.entries(group)) {
    const path = [`${name}.${member}`];
    const get = (): unknown => {
      reads.note(path);
      return value;
    };
    Object.defineProperty(tracked, member, { enumerable: true, get });
  }
  return tracked;
}
