import { quoteForShell } from "../../kernel/messages/text.js";
import { nameAsCalled } from "../shared/name.js";
import { flagOf } from "../shared/values.js";
import { type StartFlags, startOptionNames } from "./start-options.js";

/** The command line of `exec` that runs a command beside a sandbox with these flags. */
export function renderExec(command: readonly string[], flags: StartFlags, env: readonly string[] = []): string {
  const options = startOptionNames.flatMap((name) => {
    const value = flags[name];
    if (value === undefined) return [];
    // The command line appears in reports, where a secret must not.
    if (name === "adminToken") return [`${flagOf(name)} "$SANDBOX_ADMIN_TOKEN"`];
    return value === true ? [flagOf(name)] : [flagOf(name), ...[value].flat().map(quoteWord)];
  });
  const names = env.length === 0 ? [] : ["--env", ...env];
  const words = [...options, ...[...names, "--", ...command].map(quoteWord)];
  return nameAsCalled(`sandbox exec ${words.join(" ")}`);
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoteForShell(word);
}
