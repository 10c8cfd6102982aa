import type { Command } from "commander";
import type { ExecFlags } from "./commands/exec.js";
import { addClosing, addStartOptions, type ExitWith } from "./help.js";
import type { ReplayFlags } from "./replay-options.js";

/** The verbs of a test suite: exec, replay, init. */
export function addTestVerbs(program: Command, exitWith: ExitWith): void {
  addExec(program, exitWith);
  addReplay(program, exitWith);
  addInit(program);
}

function addExec(program: Command, exitWith: ExitWith): void {
  const exec = program
    .command("exec")
    .summary("run a command beside a sandbox of its own")
    .description(
      "Starts a sandbox on a free port, runs a command with SANDBOX_URL,\nSANDBOX_ACCESS_TOKEN, SANDBOX_COMPANY_ID and SANDBOX_SECRET_KEY set, and stops.\nExits with the command's code.",
    )
    .usage("[options] -- <command> [arg...]")
    .argument("<command...>", "what to run, with its arguments, after --")
    .option("--env <name=what...>", "also set NAME to the url, token, company or secret")
    .option("--report <folder>", "write what was seen to FOLDER/sandbox.json\nand FOLDER/coverage.md")
    .option("--fail-on <what>", "exit with 5 if there are findings")
    .option("--fail-under <percent>", "exit with 5 if less of the contract was met");
  addStartOptions(exec).action(async (command: readonly string[], flags: ExecFlags) =>
    exitWith(await (await import("./commands/exec.js")).exec(command, flags)),
  );
  addClosing(
    exec,
    `Examples:
  sandbox exec -- npm test
  sandbox exec --clock frozen --fail-on findings -- pytest
  sandbox exec --env PAYMENTS_URL=url --env PAYMENTS_KEY=token -- go test ./...`,
  );
}

function addReplay(program: Command, exitWith: ExitWith): void {
  const replay = program
    .command("replay")
    .summary("replay scenario files and report")
    .description("Replays scripted stories, each in a company of its own, and reports.")
    .argument("<path...>", "files, folders or patterns")
    .option(
      "--target <url>",
      "replay against another deployment; what needs the\nsandbox itself is skipped with the reason",
    )
    .option("--token <token>", "its access token (default: SANDBOX_ACCESS_TOKEN)")
    .option("--company <id>", "its company id (default: SANDBOX_COMPANY_ID)")
    .option("--secret <key>", "its secret key (default: SANDBOX_SECRET_KEY)")
    .option("--filter <regex>", "only stories whose name or file matches")
    .option("--tag <tag...>", "only stories with one of these tags")
    .option("--workers <number>", "how many at a time (default: 8)")
    .option("--shard <i/n>", "the i-th of n equal parts")
    .option("--bail", "start nothing more after the first failure")
    .option("--reporter <form>", "pretty, junit, json, tap or github\n(default: pretty)")
    .option("--out <file>", "write the report there")
    .option("--seed <integer>", "make identifiers and names repeat")
    .option("--fail-on <what>", "exit with 5 if there are findings")
    .action(async (paths: readonly string[], flags: ReplayFlags) =>
      exitWith(await (await import("./commands/replay.js")).replay(paths, flags)),
    );
  addClosing(
    replay,
    `Examples:
  sandbox replay scenarios
  sandbox replay scenarios --tag refunds --bail
  sandbox replay scenarios --reporter junit --out reports/scenarios.xml
  sandbox replay scenarios --target https://staging.example --token "$TOKEN"`,
  );
}

function addInit(program: Command): void {
  const init = program
    .command("init")
    .summary("write a configuration, a first scenario and a first test")
    .description(
      "Writes a commented sandbox.config.yaml, a first scenario and a first test into a\nfolder. What is there already is left as it is.",
    )
    .argument("[folder]", "default: this one")
    .action(async (folder: string | undefined) => (await import("./commands/init.js")).init(folder));
  addClosing(
    init,
    `Examples:
  sandbox init
  sandbox init payments-tests`,
  );
}
