import { createHarFile } from "../../adapters/har/har-file.js";
import type { HttpExchange } from "../../adapters/har/http-exchange.js";
import type { LiveComparison } from "../../calibration/proxy/live-comparison.js";
import { createExchangeRedactor } from "../../calibration/proxy/redact-exchange.js";
import { startRecordingProxy } from "../../calibration/proxy/recording-proxy.js";
import { type Side, WEBHOOK_PATH } from "../../calibration/proxy/side.js";
import { subjectOf, describeDifference } from "../../calibration/report/reporters.js";
import type { Drift } from "../../calibration/report/report.js";
import { loadProfileFile } from "../../sandbox/config/load-files.js";
import { dashboardOf } from "../run/startup-screen.js";
import { forgeryOf } from "../shared/guard-proxy.js";
import { startMirror } from "../shared/mirror.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import { printable, pluralize } from "../../kernel/messages/text.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { parsePort } from "../run/start-options.js";
import { exitDespiteUnreadOutput, nextStopSignal } from "../run/stop.js";
import { type Verb, addClosing } from "../shared/help.js";
import { isSameFile, prepareOutput, printData, printDiagnostic } from "../shared/output.js";
import { parseBaseUrl, requireNames } from "../shared/values.js";

export const verb: Verb = (command) => {
  command
    .description(
      `Passes your application's requests to a provider's staging and records them,\nuntil it is stopped. Webhooks too, when staging sends them to ${WEBHOOK_PATH} of the proxy.`,
    )
    .requiredOption("--target <url>", "the real service; nothing else is called")
    .option("--record <file>", "an HTTP archive (HAR 1.2), without credentials")
    .option("--webhooks-to <url>", `the receiver of what arrives at ${WEBHOOK_PATH}`)
    .option("--port <port>", "0 takes a free one (default 4011)")
    .option("--secret <key>", "verify webhooks; the verdict is recorded, not the signature")
    .option("--profile <file>", "the settings to compare with (default: the defaults)")
    .option("--redact <field...>", "also hide members and headers of these names;\nmsisdn becomes a pseudonym")
    .action(async (flags: ProxyFlags) => runProxy(flags));
  addClosing(
    command,
    `Examples:
  sandbox proxy --target https://staging.example --record traffic.har
  sandbox proxy --target https://staging.example --redact msisdn --port 0`,
  );
};

interface ProxyFlags {
  readonly target: string;
  readonly record?: string;
  readonly webhooksTo?: string;
  readonly port?: string;
  readonly secret?: string;
  readonly profile?: string;
  readonly redact?: readonly string[];
}

const DEFAULT_PORT = 4011;

async function runProxy(flags: ProxyFlags): Promise<void> {
  const stopped = nextStopSignal();
  const target = new URL(parseBaseUrl("--target", flags.target));
  const webhooksTo =
    flags.webhooksTo === undefined ? undefined : new URL(parseBaseUrl("--webhooks-to", flags.webhooksTo));
  const fields = requireNames("--redact", flags.redact);
  const port = flags.port === undefined ? DEFAULT_PORT : parsePort("--port", flags.port);
  const { record, secret: secretKey } = flags;
  if (secretKey === "")
    throw new UsageError("command-line", "--secret must not be empty. Give the company's secret key.");
  const profile = flags.profile === undefined ? {} : await loadProfileFile(flags.profile);
  if (record !== undefined && flags.profile !== undefined && (await isSameFile(record, flags.profile)))
    throw new UsageError("command-line", `--record and --profile name the same file, ${record}. Name two.`);
  if (record !== undefined) await prepareOutput("the recording", record);
  const file = record === undefined ? undefined : await createHarFile(record, (why) => warnLost(record, why));
  const mirror = await startMirror({
    profile,
    secretKey,
    system: systemClock,
    comparesWebhooks: webhooksTo !== undefined,
    onDifference: (drift) => printData(renderDifference(drift)),
    onNote: (note) => printData(printable(`note  ${note}`)),
  });
  const { comparison } = mirror;
  const { signatureHeader } = comparison.profile.webhooks;
  const redact = createExchangeRedactor({ secretKey, signatureHeader, fields });
  let count = 0;
  const onExchange = (exchange: HttpExchange, side: Side): void => {
    const redacted = redact(exchange, side);
    file?.add(redacted);
    printData(renderExchange(redacted, side, count));
    comparison.add(redacted, count++);
  };
  try {
    const shared = { host: "127.0.0.1", port, system: systemClock, refuses: forgeryOf };
    const proxy = await startRecordingProxy({ ...shared, target, webhooksTo, onExchange });
    printData(`Proxy: ${proxy.url} → ${target.href}`);
    if (webhooksTo !== undefined) printData(`Webhooks: ${proxy.url}${WEBHOOK_PATH} → ${webhooksTo.href}`);
    printData(`Compared with: ${dashboardOf(mirror.url)}`);
    await stopped;
    await proxy.close();
  } finally {
    await file?.close();
    await mirror.close();
    exitDespiteUnreadOutput();
  }
  printDiagnostic(`sandbox: ${renderSum(comparison, record)}`);
  if (file === undefined || record === undefined) return;
  const lost = file.lost === 0 ? "" : `, ${file.lost} could not be written`;
  printDiagnostic(
    `sandbox: wrote ${pluralize(file.written, "request or webhook", "requests and webhooks")} to ${record}${lost}`,
  );
}

function renderDifference(drift: Drift): string {
  const { exchange } = drift.example;
  return printable(`differs  #${exchange.index} ${subjectOf(drift)}: ${describeDifference(drift)}`);
}

function renderSum(comparison: LiveComparison, record: string | undefined): string {
  const differences = comparison.differences().length;
  if (comparison.compared === 0) {
    const why = comparison.hasFailed ? "the comparison stopped" : "no answer to a request (/v1/…) came, and no webhook";
    return `compared nothing: ${why}`;
  }
  const stopped = comparison.hasFailed ? "the comparison stopped early: it " : "";
  const compared = `${stopped}compared ${pluralize(comparison.compared, "request or webhook", "requests and webhooks")}`;
  if (differences === 0) return `${compared}; none differs`;
  const next = record === undefined ? "" : `. To find the settings that explain them: sandbox calibrate ${record}`;
  return `${compared}; ${pluralize(differences, "kind of difference", "kinds of differences")}${next}`;
}

function warnLost(record: string, why: string): void {
  printDiagnostic(`sandbox: the recording misses what comes now: ${record}: ${why}. The proxy goes on.`);
}

function renderExchange(
  { method, url, ms, answer, signature, comment }: HttpExchange,
  side: Side,
  index: number,
): string {
  const { pathname, search } = new URL(url);
  const status = answer === undefined ? "no answer" : String(answer.status);
  const what =
    side === "receiver" ? `webhook, signature ${signature ?? "unverified"}` : `${method} ${pathname}${search}`;
  return printable(
    [`#${index} ${what}`, status, `${Math.round(ms)} ms`, comment ?? ""].filter((part) => part !== "").join("  "),
  );
}
