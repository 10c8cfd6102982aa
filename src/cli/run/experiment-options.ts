import type { Command } from "commander";
import { UsageError } from "../../kernel/messages/problem.js";
import { reporterNames } from "../shared/output.js";
import { parseChoice, parseDurationAbove0, parseWhole, splitNames, wrongValue } from "../shared/values.js";
import { type NamedCredential, parseEnv } from "./child-env.js";
import { addStartOptions, type StartFlags } from "./start-options.js";

export interface ExperimentFlags extends StartFlags {
  readonly env?: readonly string[];
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly maxRuns?: string;
  readonly time?: string;
  readonly timeout?: string;
  readonly workers?: string;
  readonly check?: string;
  readonly list?: true;
  readonly reporter?: string;
  readonly out?: string;
}

/** The options of the verbs that run a command many times. `what` is what `--only` and `--skip` name. */
export function addExperimentOptions(command: Command, what: string, folder: string): Command {
  command
    .option("--only <name...>", `only these: ${what}`)
    .option("--skip <name...>", "all but these")
    .option("--max-runs <number>", "at most this many, besides normal runs and repeats")
    .option("--time <duration>", "try nothing new after this time")
    .option("--timeout <duration>", "how long a run may take (default: 10 times the\nnormal time, and at least 10s)")
    .option("--workers <number>", "how many runs at a time, with no port or database\nin common (default: 1)")
    .option("--check <command>", "a check of your own: exits with 0 if all is well")
    .option("--list", "show what would be run")
    .option("--reporter <form>", "pretty, json, junit or md (default: pretty)")
    .option("--out <folder>", `where to write rules and output of bugs\n(default: ${folder})`)
    .option("--env <name=what...>", "also set NAME to the url, token, company or secret");
  return addStartOptions(command);
}

/** Throws UsageError("command-line") for a wrong flag. */
export function parseExperimentFlags(verb: string, words: readonly string[], flags: ExperimentFlags, folder: string) {
  if (words[0] === undefined || words[0] === "")
    throw new UsageError("command-line", `${verb} needs a command: sandbox ${verb} -- npm test.`);
  if (flags.check?.trim() === "") throw wrongValue("--check", "a command", flags.check);
  for (const name of ["record", "open"] as const) {
    if (flags[name] === undefined) continue;
    throw new UsageError("command-line", `--${name} does not go with ${verb}, which starts a sandbox for each run.`);
  }
  return {
    command: words,
    names: (flags.env ?? []).map((text): NamedCredential => parseEnv(text)),
    only: splitNames(flags.only),
    skip: splitNames(flags.skip),
    maxRuns: flags.maxRuns === undefined ? undefined : parseWhole("--max-runs", flags.maxRuns, 1, 1_000_000),
    timeMs: flags.time === undefined ? undefined : parseDurationAbove0("--time", flags.time),
    timeoutMs: flags.timeout === undefined ? undefined : parseDurationAbove0("--timeout", flags.timeout),
    workers: flags.workers === undefined ? 1 : parseWhole("--workers", flags.workers, 1, WORKERS_MAX),
    check: flags.check,
    list: flags.list === true,
    reporter: flags.reporter === undefined ? "pretty" : parseChoice("--reporter", flags.reporter, reporterNames),
    folder: flags.out ?? folder,
  };
}

const WORKERS_MAX = 64;
