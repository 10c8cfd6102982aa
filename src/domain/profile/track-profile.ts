import type { Profile } from "./profile.js";

/** Is told of a setting each time that it is read: a set, or whoever counts. */
export interface SettingSink {
  add(path: string): unknown;
}

/** Each once. A few, of every request and piece of work: a set of them takes longer than the work. */
export class ReadSettings implements SettingSink {
  readonly paths: string[] = [];

  add(path: string): void {
    if (!this.paths.includes(path)) this.paths.push(path);
  }
}

/**
 * Provenance: "each open point touched while answering is recorded with the request". Of a profile that is tracked it is noted which settings are
 * read, by their paths (`transfers.settlement`), while somebody collects them.
 *
 * How an edge uses it: it collects each synchronous stretch of a request into the request's own set. `run` must not be given an async function:
 * what it reads after its first `await` belongs to whoever collects then.
 *
 * ```ts
 * const settings = new ReadSettings();
 * const result = collectSettings(settings, () => handler.handle(call));
 * await sandbox.durable();
 * const status = collectSettings(settings, () => successStatus(operation, profile));
 * tell({ …, settings: settings.paths });
 * ```
 */
export function collectSettings<T>(into: SettingSink, run: () => T): T {
  const outer = touched;
  touched = into;
  try {
    return run();
  } finally {
    touched = outer;
  }
}

/** As {@link collectSettings}, for what goes on without a request: within a collected stretch that one collects. */
export function collectOutside<T>(into: SettingSink, run: () => T): T {
  return touched === undefined ? collectSettings(into, run) : run();
}

/** Notes settings that were used without being read now: a schema that was built from them, a limit that applied. */
export function touchSettings(paths: Iterable<string>): void {
  if (touched === undefined) return;
  for (const path of paths) touched.add(path);
}

/**
 * The same profile, whose settings note that they are read. Two are not noted by reading, since every request reads them to see whether they apply:
 * `rateLimit` and `testNumbers`. Whoever applies one touches it.
 */
export function trackProfile(profile: Profile): Profile {
  return {
    http: track("http", profile.http),
    auth: track("auth", profile.auth),
    errors: track("errors", profile.errors),
    transfers: track("transfers", profile.transfers),
    batch: track("batch", profile.batch),
    charges: track("charges", profile.charges),
    refunds: track("refunds", profile.refunds),
    customers: track("customers", profile.customers),
    webhooks: track("webhooks", profile.webhooks),
    paging: track("paging", profile.paging),
    rateLimit: profile.rateLimit,
    server: track("server", profile.server),
    testNumbers: profile.testNumbers,
  };
}

/** Whose turn it is. One for the process is enough, for a stretch is synchronous: there is never a second one under way. */
let touched: SettingSink | undefined;

function track<Group extends object>(name: keyof Profile, group: Group): Group {
  const tracked = { ...group };
  for (const [member, value] of Object.entries(group)) {
    const path = `${name}.${member}`;
    const get = (): unknown => {
      touched?.add(path);
      return value;
    };
    Object.defineProperty(tracked, member, { enumerable: true, get });
  }
  return tracked;
}
