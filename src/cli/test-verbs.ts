import { type Command, Option } from "commander";
import type { AuditFlags } from "./audit-options.js";
import type { ExecFlags } from "./commands/exec.js";
import { addClosing, addStartOptions, type ExitWith } from "./help.js";
import type { ReplayFlags } from "./replay-options.js";

/** The verbs of a test suite. */
export const testVerbs = [
  ["exec", addExec],
  ["replay", addReplay],
  ["audit", addAudit],
  ["init", addInit],
] as const;

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

function addAudit(program: Command, exitWith: ExitWith): void {
  const audit = program
    .command("audit")
    .summary("check a webhook receiver for the classic mistakes")
    .description(
      "Sends genuine, forged and odd events to a running webhook receiver, says what is\nwrong with its answers, and how to mend it.",
    )
    .argument("[receiver-url]", "where it listens; nothing is sent anywhere else")
    .option("--secret <key>", "the secret key that it verifies with\n(default: SANDBOX_SECRET_KEY, or secret_sandbox)")
    .option("--header <name>", "the signature's header\n(default: x-service-hmac-sha256)")
    .option("--topic <topic>", "the topic of the events (default: charges/events)")
    .option("--event <file>", "a JSON file: send this event in the place of made-up\nones")
    .option(
      "--check <what>",
      "a URL or a command that prints the application's state,\na number or JSON: also check that each event counts\nonce, in whatever order events come",
    )
    .option(
      "--order <what>",
      "for --check: a URL or a command that makes an order\nand prints its charge, for applications that take no\nevent of an order that is not theirs",
    )
    .option("--only <id...>", "only these checks, or groups of checks")
    .option("--skip <id...>", "all but these")
    .option("--list", "list the checks")
    .option("--reporter <form>", "pretty, junit or json (default: pretty)")
    .addOption(new Option("--json", "short for --reporter json").conflicts("reporter"))
    .option("--out <file>", "write the report there")
    .action(async (url: string | undefined, flags: AuditFlags) =>
      exitWith(await (await import("./commands/audit.js")).audit(url, flags)),
    );
  addClosing(
    audit,
    "Exits with 4 if a check failed. Warnings fail nothing.",
    `Examples:
  sandbox audit http://127.0.0.1:4020/webhooks
  sandbox audit http://127.0.0.1:4020/webhooks --check ./count-shipped.sh
  sandbox audit https://shop.example/hooks --secret "$KEY" --only forged
  sandbox audit --list`,
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
