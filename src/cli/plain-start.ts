import type { StartFlags } from "./start-options.js";
import { flagOf } from "./values.js";

/**
 * The flags of `sandbox start` from a command line that leaves nothing to explain: known options, each followed by its value. Undefined for any
 * other (help, lists, `--port=1`, what is misspelt), which commander reads.
 *
 * Loading commander and having it make the verb takes 6 ms of CPU time (Node 20), a twentieth of a start. This takes none.
 */
export function readPlainStart([verb, ...args]: readonly string[]): StartFlags | undefined {
  if (verb !== "start") return undefined;
  const flags: { -readonly [Name in keyof StartFlags]: StartFlags[Name] } = {};
  const rest = args.values();
  for (const arg of rest) {
    const named = valued.get(arg);
    const switched = switches.get(arg);
    if (named !== undefined) {
      const value: string | undefined = rest.next().value;
      if (value === undefined || value.startsWith("-")) return undefined;
      flags[named] = value;
    } else if (switched !== undefined) flags[switched] = true;
    else return undefined;
  }
  return flags;
}

/** By how they are written. Those that take a list are left to commander. */
const valued = byFlag([
  "port",
  "host",
  "publicUrl",
  "config",
  "profile",
  "record",
  "store",
  "clock",
  "seed",
  "adminToken",
  "tlsCert",
  "tlsKey",
  "log",
  "logLevel",
]);
const switches = byFlag(["autoProvision", "productionHeadersOnly", "open"]);

function byFlag<const Name extends keyof StartFlags>(names: readonly Name[]): ReadonlyMap<string, Name> {
  return new Map(names.map((name) => [flagOf(name), name]));
}
