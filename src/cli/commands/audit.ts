import { SecretRedactor } from "../../sandbox/observation/redact.js";
import { exitCodeOfSignal, onStopSignal } from "../run/stop.js";
import { Option } from "commander";
import { EXIT, type Verb, addClosing } from "../shared/help.js";
import { parseSource } from "../../adapters/files/source.js";
import { readText } from "../../adapters/files/read-text.js";
import { HEADER_DEFAULT } from "../../audit/checks/snippets.js";
import { runAudit } from "../../audit/run-audit.js";
import { UsageError, renderPosition } from "../../kernel/messages/problem.js";
import { headerName } from "../../domain/profile/setting-kinds.js";
import { DEFAULT_COMPANY } from "../../sandbox/config/options.js";
import { parseBaseUrl, parseChoice, parseDurationAbove0, readToken, wrongValue } from "../shared/values.js";
import type { AuditReport } from "../../audit/report.js";
import { listChecks, renderCheckList } from "../../audit/check-list.js";
import { renderJson, renderJunit, renderPretty, renderSum } from "../../audit/reporters.js";
import { type SandboxAddress, createSandboxDoor } from "../../audit/application/sandbox-door.js";
import { type JsonBounds, beyondBounds, isObject } from "../../kernel/messages/json.js";
import { plainStyle } from "../../kernel/messages/report.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import {
  assertReplacesNone,
  createCounter,
  printData,
  printDiagnostic,
  printJson,
  prepareOutput,
  styleFor,
  writeOutput,
} from "../shared/output.js";
import type { AuditEvent } from "../../audit/wire/check.js";

export const verb: Verb = (command, exitWith) => {
  command
    .description(
      "Sends genuine, forged and odd events to a running webhook receiver, and reports\nwhat is wrong with its answers and how to fix it.",
    )
    .argument("[receiver-url]", "where it listens; nothing is sent anywhere else")
    .option("--secret <key>", "the secret key that it verifies with\n(default: SANDBOX_SECRET_KEY, or secret_sandbox)")
    .option("--old-secret <key>", "the secret key before the last rotation: it must be\nrefused")
    .option("--header <name>", "the signature's header\n(default: x-service-hmac-sha256)")
    .option("--topic <topic>", "the topic of the events (default: charges/events)")
    .option("--event <file>", "a JSON file: send this event instead of generated ones")
    .option(
      "--check <what>",
      "a URL or a command that prints the application's state,\na number or JSON: also check that each event counts\nonce, in whatever order events come",
    )
    .option(
      "--order <what>",
      "a URL or a command that makes an order and prints\nJSON with its charge or transfer, for applications\nthat ignore unknown orders",
    )
    .option("--settle <duration>", "for --check: how long the application may work after\nan answer (default: 1s)")
    .option("--restart <command>", "for --check: restarts the application, so that an event\ncomes again after it")
    .option("--only <id...>", "only these checks, or groups of checks")
    .option("--skip <id...>", "all but these")
    .option("--list", "list the checks")
    .option("--reporter <form>", "pretty, junit or json (default: pretty)")
    .addOption(new Option("--json", "short for --reporter json").conflicts("reporter"))
    .option("--out <file>", "write the report there")
    .action(async (url: string | undefined, flags: AuditFlags) => exitWith(await audit(url, flags)));
  addClosing(
    command,
    "Exits with 4 if a check failed, and with 6 if none did but something could not\nbe judged. Warnings fail nothing.",
    `Examples:
  sandbox audit http://127.0.0.1:4020/webhooks
  sandbox audit http://127.0.0.1:4020/webhooks --check ./count-shipped.sh
  sandbox audit https://shop.example/hooks --secret "$KEY" --only forged
  sandbox audit --list`,
  );
};

async function audit(url: string | undefined, flags: AuditFlags): Promise<number> {
  const options = parseAuditFlags(url, flags);
  if (flags.list === true || options.url === undefined) {
    if (options.reporter === "json") printJson(listChecks());
    else printData(renderCheckList(styleFor(process.stdout)));
    return EXIT.ok;
  }
  const event = options.event === undefined ? undefined : await readEvent(options.event);
  const counter = createCounter(process.stderr);
  if (options.out !== undefined) {
    if (options.event !== undefined) await assertReplacesNone("--out", options.out, [options.event]);
    await prepareOutput("the report", options.out);
  }
  endAtSignal();
  const address = sandboxOf(options);
  // The receiver may show the tokens that it was started with, whether the audit uses them or not.
  const tokens = ["SANDBOX_ACCESS_TOKEN", "SANDBOX_ADMIN_TOKEN"].map((variable) => process.env[variable] ?? "");
  const report = await runAudit({
    ...options,
    url: options.url,
    event,
    redact: new SecretRedactor([options.secret, options.oldSecret ?? "", ...tokens]).text,
    sandbox: address && createSandboxDoor(address),
    system: systemClock,
    onProgress: (done, total) => counter.show(`${done} of ${total} checks`),
  }).finally(() => process.stderr.write(counter.clear));
  await print(report, options);
  return { passed: EXIT.ok, failed: EXIT.assertion, inconclusive: EXIT.inconclusive }[report.verdict];
}

/** Ends the commands of --check, --order and --restart at a signal. Their process groups get no signal, but they end when this process exits. */
function endAtSignal(): void {
  onStopSignal((signal) => process.exit(exitCodeOfSignal(signal)));
}

/** The application's sandbox, if SANDBOX_URL and SANDBOX_ACCESS_TOKEN name it. */
function sandboxOf({ check, order }: ParsedAudit): SandboxAddress | undefined {
  const given = process.env["SANDBOX_URL"] ?? "";
  const accessToken = readToken({ variable: "SANDBOX_ACCESS_TOKEN" });
  if ((check === undefined && order === undefined) || given === "" || accessToken === undefined) return undefined;
  const url = parseBaseUrl("SANDBOX_URL", given);
  const companyId = readToken({ variable: "SANDBOX_COMPANY_ID" });
  const adminToken = readToken({ variable: "SANDBOX_ADMIN_TOKEN" });
  return { url, accessToken, companyId, adminToken };
}

const reporters = { pretty: renderPretty, junit: renderJunit, json: renderJson };
const reporterNames = ["pretty", "junit", "json"] as const;

async function print(report: AuditReport, { reporter, out }: ParsedAudit): Promise<void> {
  const isForPeople = reporter === "pretty" && out === undefined;
  const text = reporters[reporter](report, isForPeople ? styleFor(process.stdout) : plainStyle);
  if (out === undefined) printData(text);
  else await writeOutput("the report", out, text);
  if (!isForPeople) printDiagnostic(renderSum(report, styleFor(process.stderr)));
}

interface AuditFlags {
  readonly secret?: string;
  readonly oldSecret?: string;
  readonly header?: string;
  readonly topic?: string;
  readonly event?: string;
  readonly check?: string;
  readonly order?: string;
  readonly settle?: string;
  readonly restart?: string;
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly list?: true;
  readonly reporter?: string;
  readonly json?: true;
  readonly out?: string;
}

type ParsedAudit = ReturnType<typeof parseAuditFlags>;

function parseAuditFlags(given: string | undefined, flags: AuditFlags) {
  const only = flags.only === undefined ? undefined : splitNames(flags.only);
  const skip = splitNames(flags.skip ?? []);
  // In `--only garbage http://…` the URL is parsed as a value of the option.
  const url = given ?? takeUrl(skip) ?? takeUrl(only);
  if (url === undefined && flags.list !== true) {
    throw new UsageError(
      "command-line",
      "Which receiver? Give its URL, such as `sandbox audit http://127.0.0.1:4020/webhooks`.",
    );
  }
  const secret = flags.secret ?? (process.env["SANDBOX_SECRET_KEY"] || DEFAULT_COMPANY.secretKey);
  if (secret === "") throw new UsageError("command-line", "--secret must not be empty. Give the company's secret key.");
  if (flags.check === undefined && (flags.settle ?? flags.restart) !== undefined) {
    throw new UsageError("command-line", "--settle and --restart are about the application's state: give --check too.");
  }
  const reporter = flags.json === true ? "json" : flags.reporter;
  return {
    url,
    secret,
    oldSecret: flags.oldSecret,
    header: flags.header === undefined ? HEADER_DEFAULT : parseHeaderName(flags.header),
    topic: flags.topic === undefined ? undefined : parseTopic(flags.topic),
    event: flags.event,
    check: flags.check,
    order: flags.order,
    settleMs: flags.settle === undefined ? undefined : parseDurationAbove0("--settle", flags.settle, "10s"),
    restart: flags.restart,
    only,
    skip,
    reporter: reporter === undefined ? "pretty" : parseChoice("--reporter", reporter, reporterNames),
    out: flags.out,
  };
}

/** Accepts `--only a b` and `--only a,b`. */
function splitNames(texts: readonly string[]): string[] {
  return texts.flatMap((text) => (isUrl(text) ? [text] : text.split(","))).filter((name) => name !== "");
}

function takeUrl(names: string[] | undefined): string | undefined {
  return names !== undefined && isUrl(names.at(-1) ?? "") ? names.pop() : undefined;
}

function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

function parseHeaderName(text: string): string {
  if (headerName().safeParse(text).success) return text;
  throw wrongValue(
    "--header",
    "the name of a header that HTTP itself does not use, such as x-service-hmac-sha256",
    text,
  );
}

function parseTopic(text: string): string {
  if (text.trim() !== "") return text;
  throw wrongValue("--topic", "a topic, such as charges/events", text);
}

/** Reads an event with its exact text. Throws UsageError("file") with line and column if it is not a JSON object. */
async function readEvent(file: string): Promise<AuditEvent> {
  const text = await readText(file);
  const value = parseJson(text);
  // The YAML parser names the position, unless the text is valid YAML.
  if (value === undefined) parseSource(text, file);
  const excess = beyondBounds(value, EVENT_BOUNDS);
  if (excess !== undefined) throw new UsageError("file", `${file}: the event ${excess}.`);
  if (isObject(value)) return { text, value: { ...value } };
  const right =
    value === undefined ? "JSON: it is sent as it is in the file." : 'a JSON object, such as {"topic": …, "data": …}.';
  throw new UsageError("file", renderPosition({ file, line: 1, column: 1 }, `an event must be ${right}`));
}

/** Some checks serialise the event again, which fails for deeper values. */
const EVENT_BOUNDS: JsonBounds = { depth: 200, members: 100_000 };

/** Undefined if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
