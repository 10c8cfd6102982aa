import { Command, CommanderError } from "commander";
import { UsageError } from "../kernel/messages/problem.js";
import { didYouMean } from "../kernel/messages/suggest.js";
import { VERSION } from "../kernel/version.js";
import { addClosing, EXIT, EXIT_CODES_HELP, type Verb } from "./shared/help.js";
import { nameAsCalled } from "./shared/name.js";
import { colorsFor, printData, WIDTH_MAX } from "./shared/output.js";

/** Name, summary and module of each verb, in the order in which help lists them. */
const verbs: readonly (readonly [name: string, summary: string, load: () => Promise<{ readonly verb: Verb }>])[] = [
  ["start", "run the sandbox until it is stopped", () => import("./commands/start.js")],
  ["exec", "run a command beside a sandbox of its own", () => import("./commands/exec.js")],
  ["explore", "find the fault that makes a command pay twice", () => import("./commands/explore.js")],
  ["vary", "find the assumptions that a command depends on", () => import("./commands/vary.js")],
  ["replay", "replay scenario files and report", () => import("./commands/replay.js")],
  ["audit", "check a webhook receiver for common mistakes", () => import("./commands/audit.js")],
  ["proxy", "record the traffic between an application and the real service", () => import("./commands/proxy.js")],
  ["calibrate", "find the settings that explain recorded traffic", () => import("./commands/calibrate.js")],
  ["init", "write a configuration, a first scenario and a first test", () => import("./commands/init.js")],
  ["clock", "show or move the time of a running sandbox", () => import("./commands/clock.js")],
  ["companies", "move a company between running sandboxes", () => import("./commands/companies.js")],
  ["sign", "print the webhook signature of a file", () => import("./commands/sign.js")],
  ["validate", "check config, profile, fixtures, rules and scenario files", () => import("./commands/validate.js")],
  ["openapi", "print the API as OpenAPI 3.1", () => import("./commands/openapi.js")],
  ["profile", "list what the contract leaves open, and the choices", () => import("./commands/profile.js")],
];

/** Runs a command line and returns the exit code. Throws UsageError for a wrong command line. */
export async function runProgram(args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = createProgram();
  const asked = args[0] === "help" ? args[1] : args[0];
  for (const [name, summary, load] of verbs) {
    const command = program.command(name).summary(summary);
    if (name === asked) (await load()).verb(command, (code) => (exitCode = code));
  }
  if (args.length === 0) {
    program.outputHelp();
    return EXIT.ok;
  }
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw await explain(program, args, error);
  }
  return exitCode;
}

function createProgram(): Command {
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
    .configureOutput({
      getOutHasColors: () => colors.isColorSupported,
      writeErr: () => undefined,
      writeOut: (text) => printData(nameAsCalled(text)),
    })
    .exitOverride();
  addClosing(
    program,
    `Examples:
  sandbox start                     run it; the screen says how to reach it
  sandbox start --clock frozen      time moves only on command
  sandbox clock advance 1h          skip an hour
  sandbox exec -- npm test          run tests beside a sandbox of their own
  sandbox help start                everything about a verb`,
    EXIT_CODES_HELP,
  );
  return program;
}

const HELP_WIDTH = 80;

/** Commander's error as a sentence, with a hint at the help. */
async function explain(program: Command, args: readonly string[], error: CommanderError): Promise<UsageError> {
  const verb = program.commands.find((command) => command.name() === args[0]);
  const help = `Run \`sandbox ${verb === undefined ? "" : `${verb.name()} `}--help\` to see what there is.`;
  return new UsageError("command-line", `${await explainFinding(program, verb, args, error)} ${help}`);
}

async function explainFinding(
  program: Command,
  verb: Command | undefined,
  args: readonly string[],
  error: CommanderError,
): Promise<string> {
  if (error.code === "commander.unknownCommand") return unknownVerb(program, args[0]);
  // For `sandbox help strat` commander shows the help of the program.
  if (error.code === "commander.help") return unknownVerb(program, args[1]);
  const [finding = "", hint = ""] = error.message.replace(/^error: /, "").split("\n");
  const sentence = `${finding.charAt(0).toUpperCase()}${finding.slice(1).replace(/\.$/, "")}.`;
  const flag = /^unknown option '([^'=]+)/.exec(finding)?.[1] ?? "";
  if (/^-\d/.test(flag)) return `${sentence} A duration must not be negative.`;
  if (verb === undefined && flag !== "") return sentence + (await ownerOf(flag));
  return sentence + hint.replace(/^\((.*)\)$/, " $1");
}

function unknownVerb(program: Command, name: string = ""): string {
  return `Unknown verb "${name}".${didYouMean(
    name,
    program.commands.map((command) => command.name()),
  )}`;
}

/** A hint for an option without its verb, as in `sandbox --port 1`. */
async function ownerOf(flag: string): Promise<string> {
  for (const [name, , load] of verbs) {
    const command = new Command(name);
    (await load()).verb(command, () => undefined);
    if (command.options.some((option) => option.long === flag))
      return ` It belongs to a verb: \`sandbox ${name} ${flag}\`.`;
  }
  return "";
}
