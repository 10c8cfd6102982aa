import { createHarFile } from "../../adapters/har/har-file.js";
import type { HttpExchange } from "../../adapters/har/http-exchange.js";
import { createExchangeRedactor } from "../../calibration/proxy/redact-exchange.js";
import { startRecordingProxy } from "../../calibration/proxy/recording-proxy.js";
import { type Side, WEBHOOK_PATH } from "../../calibration/proxy/side.js";
import { defaultProfile, parseProfile } from "../../domain/profile/parse-profile.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import { printable } from "../../kernel/messages/text.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { parsePort } from "../run/start-options.js";
import { onStopSignal } from "../run/stop.js";
import { type Verb, addClosing } from "../shared/help.js";
import { prepareOutput, printData, printDiagnostic } from "../shared/output.js";
import { parseBaseUrl } from "../shared/values.js";

export const verb: Verb = (command) => {
  command
    .description(
      `Passes your application's requests to a provider's staging and records them, until it\nis stopped. Webhooks too, when staging sends them to ${WEBHOOK_PATH} of the proxy.`,
    )
    .requiredOption("--target <url>", "the real service; nothing else is called")
    .option("--record <file>", "an HTTP archive (HAR 1.2), without credentials")
    .option("--webhooks-to <url>", `the receiver of what arrives at ${WEBHOOK_PATH}`)
    .option("--port <port>", "0 takes a free one (default 4011)")
    .option("--secret <key>", "verify webhooks; the verdict is recorded, not the signature")
    .option("--profile <file>", "webhooks.signatureHeader is read from it")
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
  const stopped = new Promise<void>((resolve) => onStopSignal(() => resolve()));
  const target = new URL(parseBaseUrl("--target", flags.target));
  const webhooksTo =
    flags.webhooksTo === undefined ? undefined : new URL(parseBaseUrl("--webhooks-to", flags.webhooksTo));
  const port = flags.port === undefined ? DEFAULT_PORT : parsePort("--port", flags.port);
  if (flags.secret === "")
    throw new UsageError("command-line", "--secret must not be empty. Give the company's secret key.");
  const redact = createExchangeRedactor({
    secretKey: flags.secret,
    signatureHeader: await readSignatureHeader(flags.profile),
    fields: flags.redact ?? [],
  });
  const { record } = flags;
  if (record !== undefined) await prepareOutput("the recording", record);
  const file = record === undefined ? undefined : await createHarFile(record, (why) => warnLost(record, why));
  const onExchange = (exchange: HttpExchange, side: Side): void => {
    const redacted = redact(exchange, side);
    file?.add(redacted);
    printData(renderExchange(redacted, side));
  };
  const proxy = await startRecordingProxy({
    target,
    webhooksTo,
    host: "127.0.0.1",
    port,
    system: systemClock,
    onExchange,
  });
  printData(`Proxy: ${proxy.url} → ${target.href}`);
  if (webhooksTo !== undefined) printData(`Webhooks: ${proxy.url}${WEBHOOK_PATH} → ${webhooksTo.href}`);
  await stopped;
  await proxy.close();
  await file?.close();
  if (file === undefined || record === undefined) return;
  const lost = file.lost === 0 ? "" : `, ${file.lost} could not be written`;
  printDiagnostic(`sandbox: wrote ${file.written} requests and webhooks to ${record}${lost}`);
}

function warnLost(record: string, why: string): void {
  printDiagnostic(`sandbox: the recording misses what comes now: ${record}: ${why}. The proxy goes on.`);
}

function renderExchange({ method, url, ms, answer, signature, comment }: HttpExchange, side: Side): string {
  const { pathname, search } = new URL(url);
  const status = answer === undefined ? "no answer" : String(answer.status);
  const what =
    side === "receiver" ? `webhook, signature ${signature ?? "unverified"}` : `${method} ${pathname}${search}`;
  return printable([what, status, `${Math.round(ms)} ms`, comment ?? ""].filter((part) => part !== "").join("  "));
}

async function readSignatureHeader(file: string | undefined): Promise<string> {
  if (file === undefined) return defaultProfile().webhooks.signatureHeader;
  const { loadProfileFile } = await import("../../sandbox/config/load-files.js");
  const parsed = parseProfile(await loadProfileFile(file));
  return (parsed.ok ? parsed.profile : defaultProfile()).webhooks.signatureHeader;
}
