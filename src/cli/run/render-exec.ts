import { nameAsCalled } from "../shared/name.js";
import { flagOf } from "../shared/values.js";
import { type StartFlags, startOptionNames } from "./start-options.js";

/** The command line of `exec` that runs a command beside a sandbox with these flags, and with one more file of rules. */
export function renderExec(
  command: readonly string[],
  flags: StartFlags,
  rules: string,
  env: readonly string[] = [],
): string {
  const given: StartFlags = { ...flags, rules: [...listOf(flags.rules), rules] };
  const options = startOptionNames.flatMap((name) => {
    const value = given[name];
    if (value === undefined) return [];
    return value === true ? [flagOf(name)] : [flagOf(name), ...[value].flat()];
  });
  const names = env.length === 0 ? [] : ["--env", ...env];
  const words = [...options, ...names, "--", ...command].map(quoteWord);
  return nameAsCalled(`sandbox exec ${words.join(" ")}`);
}

function listOf(files: StartFlags["rules"]): readonly string[] {
  return typeof files === "object" ? files : [];
}

/** For a POSIX shell. */
function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
