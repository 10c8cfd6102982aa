import { Command, CommanderError, Option } from "commander";
import { UsageError } from "../kernel/problem.js";
import { didYouMean } from "../kernel/suggest.js";
import { VERSION } from "../kernel/version.js";
import type { ClockFlags } from "./commands/clock.js";
import { EXIT, EXIT_CODES_HELP } from "./exit-codes.js";
import { addClosing, addStartOptions, type ExitWith } from "./help.js";
import { colorsFor, WIDTH_MAX } from "./output.js";
import type { StartFlags } from "./start-options.js";
import { testVerbs } from "./test-verbs.js";

/**
 * Runs one command line, without the node and the script, and returns the exit code. Throws UsageError for a wrong one. What a verb does is
 * imported when it is used, so that help and small verbs never load the server.
 */
export async function runProgram(args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = createProgram(args, (code) => (exitCode = code));
  if (args.length === 0) {
    program.outputHelp();
    return EXIT.ok;
  }
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw explain(program, args, error);
  }
  return exitCode;
}

/** In the order in which help lists them. */
const verbs: readonly (readonly [string, (program: Command, exitWith: ExitWith) => void])[] = [
  ["start", addStart],
  ...testVerbs,
  ["clock", addClock],
  ["sign", addSign],
  ["validate", addValidate],
  ["openapi", addOpenapi],
  ["profile", addProfile],
];

function createProgram(args: readonly string[], exitWith: ExitWith): Command {
  const program = new Command("sandbox");
  const colors = colorsFor(process.stdout);
  program
    .description(
      "A local stand-in for a mobile-money business payments API:\ntransfers, charges and signed webhooks, on a clock you can move.",
    )
    .usage("<verb> [options]")
    .version(VERSION, "-v, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .addHelpCommand(new Command("help").argument("[verb]").summary("show the help of a verb").helpGroup("Verbs:"))
    .commandsGroup("Verbs:")
    .configureHelp({
      styleTitle: (title) => colors.bold(title),
      subcommandTerm: (command) => command.name(),
      helpWidth: Math.min(process.stdout.columns ?? HELP_WIDTH, WIDTH_MAX),
    })
    .configureOutput({ getOutHasColors: () => colors.isColorSupported, writeErr: () => undefined })
    .exitOverride();
  // The others are for help, and for who misspells one: making them takes longer than reading the command line.
  const asked = verbs.find(([name]) => name === args[0]);
  for (const [, addVerb] of asked === undefined ? verbs : [asked]) addVerb(program, exitWith);
  addClosing(
    program,
    `Examples:
  sandbox start                     run it; the screen says how to reach it
  sandbox start --clock frozen      time moves only when told to
  sandbox clock advance 1h          skip an hour
  sandbox exec -- npm test          run tests beside a sandbox of their own
  sandbox help start                everything about a verb`,
    EXIT_CODES_HELP,
  );
  return program;
}

/** Of help that goes into a pipe. */
const HELP_WIDTH = 80;

function addStart(program: Command): void {
  const start = program
    .command("start")
    .summary("run the sandbox until it is stopped")
    .description("Runs the sandbox until Ctrl-C or SIGTERM, and shows how to reach it.");
  addStartOptions(start).action(async (flags: StartFlags) => (await import("./commands/start.js")).start(flags));
  addClosing(
    start,
    `Each option is also a variable, SANDBOX_PUBLIC_URL say, and a key of the
configuration, publicUrl in sandbox.config.yaml, .yml or .json. The option wins
over the variable, and the variable over the key. PORT counts where SANDBOX_PORT
is not set.`,
    `Examples:
  sandbox start --port 0 --log json             the first line carries the url
  sandbox start --clock 2026-01-15T09:00:00Z    every run begins then
  sandbox start --fixtures customers.yaml --profile strict.yaml
  sandbox start --host 0.0.0.0 --admin-token "$TOKEN"`,
  );
}

function addClock(program: Command): void {
  const clock = program
    .command("clock")
    .summary("show or move the time of a running sandbox")
    .description(
      "Shows or moves the time of one company of a running sandbox.\nWhat falls due on the way happens, webhooks included.",
    )
    .usage("[show|advance <by>|set <to>|freeze|resume] [options]")
    .argument("[action]", "show, advance, set, freeze or resume (default: show)")
    .argument("[value]", "advance: 10s, 1h30m, PT1H or milliseconds; set: ISO")
    .option("--to-next", "advance to the next thing that is due")
    .option("--url <url>", "default: SANDBOX_URL, or http://127.0.0.1:4010")
    .option("--company <id>", "default: SANDBOX_COMPANY_ID, or the first company")
    .option("--admin-token <token>", "default: SANDBOX_ADMIN_TOKEN")
    .option("--json", "print the sandbox's answer")
    .action(async (action: string | undefined, value: string | undefined, flags: ClockFlags) =>
      (await import("./commands/clock.js")).clock(action, value, flags),
    );
  addClosing(
    clock,
    `Examples:
  sandbox clock                        now, and what is due next
  sandbox clock advance 1h             skip an hour
  sandbox clock advance --to-next      skip to the next thing that is due
  sandbox clock set 2030-01-31T08:00:00Z
  sandbox clock freeze                 time moves only when told to`,
  );
}

function addSign(program: Command): void {
  const sign = program
    .command("sign")
    .summary("print the webhook signature of a file")
    .description("Prints the signature of a webhook whose body is exactly these bytes, no more.")
    .argument("[file]", "the body; - reads stdin")
    .option("--secret <key>", "default: SANDBOX_SECRET_KEY, or secret_sandbox")
    .action(async (file: string | undefined, flags: { secret?: string }) =>
      (await import("./commands/sign.js")).sign(file, flags.secret),
    );
  addClosing(
    sign,
    `Examples:
  sandbox sign event.json
  printf '{"topic":"charges/events"}' | sandbox sign - --secret secret_sandbox`,
  );
}

function addValidate(program: Command, exitWith: ExitWith): void {
  const validate = program
    .command("validate")
    .summary("check config, profile, fixtures and scenario files")
    .description(
      "Checks config, profile, fixtures and scenario files, and names all that is wrong\nwith its line and column.",
    )
    .argument("<file...>", "the files")
    .option("--json", "print the findings as JSON")
    .action(async (files: readonly string[], flags: { json?: true }) =>
      exitWith(await (await import("./commands/validate.js")).validate(files, flags)),
    );
  addClosing(
    validate,
    `Examples:
  sandbox validate sandbox.config.yaml
  sandbox validate fixtures/*.yaml profile.yaml`,
  );
}

function addOpenapi(program: Command): void {
  const openapi = program
    .command("openapi")
    .summary("print the API as OpenAPI 3.1")
    .description("Prints the API, its webhooks and its error bodies as OpenAPI 3.1.")
    .option("--format <format>", "yaml or json (default: yaml)")
    .addOption(jsonFormat())
    .action(async (flags: FormatFlags) => (await import("./commands/openapi.js")).openapi(formatOf(flags)));
  addClosing(
    openapi,
    `Examples:
  sandbox openapi > openapi.yaml
  sandbox openapi --format json`,
  );
}

function addProfile(program: Command): void {
  const profile = program
    .command("profile")
    .summary("list what the contract leaves open, and the choices")
    .description(
      "Lists every point that the contract leaves open: what the sandbox chose, the\nalternatives, and the contract's words.",
    )
    .option("--format <format>", "md, yaml (a file to change and use) or json (an array)\n(default: md)")
    .addOption(jsonFormat())
    .action(async (flags: FormatFlags) => (await import("./commands/profile.js")).profile(formatOf(flags)));
  addClosing(
    profile,
    `Examples:
  sandbox profile
  sandbox profile --format yaml > profile.yaml
  sandbox start --profile profile.yaml`,
  );
}

interface FormatFlags {
  readonly format?: string;
  readonly json?: true;
}

/** "`--json` where a verb prints data", of a verb that has other formats too. */
function jsonFormat(): Option {
  return new Option("--json", "short for --format json").conflicts("format");
}

function formatOf({ json, format }: FormatFlags): string | undefined {
  return json === true ? "json" : format;
}

/** Commander's finding as a sentence of ours, with where to read on. */
function explain(program: Command, args: readonly string[], error: CommanderError): UsageError {
  const verb = program.commands.find((command) => command.name() === args[0]);
  const help = `Run \`sandbox ${verb === undefined ? "" : `${verb.name()} `}--help\` to see what there is.`;
  return new UsageError("command-line", `${explainFinding(program, verb, args, error)} ${help}`);
}

function explainFinding(
  program: Command,
  verb: Command | undefined,
  args: readonly string[],
  error: CommanderError,
): string {
  if (error.code === "commander.unknownCommand") return unknownVerb(program, args[0]);
  // `sandbox help strat`: commander answers with the help of the whole.
  if (error.code === "commander.help") return unknownVerb(program, args[1]);
  const [finding = "", hint = ""] = error.message.replace(/^error: /, "").split("\n");
  const sentence = `${finding.charAt(0).toUpperCase()}${finding.slice(1).replace(/\.$/, "")}.`;
  const flag = /^unknown option '([^'=]+)/.exec(finding)?.[1] ?? "";
  if (/^-\d/.test(flag)) return `${sentence} A duration must not be negative.`;
  if (verb === undefined && flag !== "") return sentence + ownerOf(program, flag);
  return sentence + hint.replace(/^\((.*)\)$/, " $1");
}

function unknownVerb(program: Command, name: string = ""): string {
  return `Unknown verb "${name}".${didYouMean(
    name,
    program.commands.map((command) => command.name()),
  )}`;
}

/** `sandbox --port 1`: an option that a verb has, without the verb. */
function ownerOf(program: Command, flag: string): string {
  const owner = program.commands.find((command) => command.options.some((option) => option.long === flag));
  return owner === undefined ? "" : ` It belongs to a verb: \`sandbox ${owner.name()} ${flag}\`.`;
}
