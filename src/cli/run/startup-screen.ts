import { spawn } from "node:child_process";
import type { Log } from "../../kernel/log.js";
import type { ClockMode } from "../../kernel/clock.js";
import { formatDuration } from "../../kernel/duration.js";
import { type Instant, toIso } from "../../kernel/instant.js";
import { VERSION } from "../../kernel/version.js";
import { type Colors, alignColumns } from "../shared/output.js";
import { type NumberBehaviour, type TestNumberRole, numberBehaviours } from "../../domain/accounts/test-numbers.js";

export interface StartupFacts {
  readonly url: string;
  readonly publicUrl: string | undefined;
  readonly accessToken: string;
  readonly companyId: string;
  readonly secretKey: string;
  /** How many companies there are beside that one. */
  readonly otherCompanies: number;
  readonly clock: { readonly mode: ClockMode; readonly now: Instant };
  readonly seed: number | undefined;
  readonly testNumbers: Readonly<Record<TestNumberRole, string>>;
  /** Whether the control API asks for a token; the token itself is not shown. */
  readonly hasAdminToken: boolean;
}

/** What `start` prints: everything needed for a first call, on one screen. */
export function renderStartupScreen(facts: StartupFacts, colors: Colors): string {
  const { bold, dim, cyan } = colors;
  const { url, clock, otherCompanies, seed } = facts;
  // A certificate for this machine is seldom one that curl trusts.
  const curl = url.startsWith("https:") ? "curl -k " : "curl ";
  const others = otherCompanies === 0 ? "" : dim(`  and ${otherCompanies} more: ${url}/_sandbox/companies`);
  const rows: [string, string][] = [
    ["API", cyan(url)],
    ...(facts.publicUrl === undefined ? [] : [["From outside", cyan(facts.publicUrl)] as [string, string]]),
    ["Dashboard", cyan(dashboardOf(url))],
    ["Control API", `${cyan(`${url}/_sandbox/`)}${dim("…")}`],
    ["OpenAPI", cyan(`${url}/openapi.yaml`)],
    ["Access token", facts.accessToken],
    ["Company id", `${facts.companyId}${others}`],
    ["Secret key", facts.secretKey],
    ["Clock", `${clock.mode}, ${toIso(clock.now)}${seed === undefined ? "" : dim(`  seed ${seed}`)}`],
  ];
  return [
    "",
    bold(`Business Payments Sandbox ${VERSION}`),
    "",
    ...alignColumns(rows.map(([label, value]) => [`  ${label}`, value])).map((line) =>
      line.replace(/^ {2}\S+(?: \S+)*/, dim),
    ),
    "",
    ...renderTestNumbers(facts.testNumbers, colors),
    "",
    dim("  Read the balance, create a charge, skip the hour after which it is dropped:"),
    `  ${curl}${url}/v1/balance -H 'Authorization: Bearer ${facts.accessToken}'`,
    ...chargeCommand(facts, curl),
    ...advanceCommand(facts, curl),
    "",
    "",
  ].join("\n");
}

function renderTestNumbers(numbers: StartupFacts["testNumbers"], { dim }: Colors): string[] {
  const roles = Object.entries(numberBehaviours) as [TestNumberRole, NumberBehaviour][];
  const rows = roles.map(([role, behaviour]) => [numbers[role], ...effectsOf(behaviour)]);
  const [title = "", ...lines] = alignColumns([["Test numbers", "transfer", "payment of a charge"], ...rows]);
  return [dim(`  ${title}`), ...lines.map((line) => `  ${line}`)];
}

/** What happens to a transfer, and to the payment of a charge. */
function effectsOf({ transfer, payment, lateMs, silent }: NumberBehaviour): [string, string] {
  const webhook = silent ? ", no webhook" : "";
  const late = lateMs === 0 ? "" : `, ${formatDuration(lateMs)} late`;
  return [
    transfer === "refused" ? "refused with 422" : `${outcomeText(transfer)}${late}${webhook}`,
    payment === "refused" ? "refused with 422" : `${outcomeText(payment)}${webhook}`,
  ];
}

function outcomeText(result: Exclude<NumberBehaviour["transfer"] | NumberBehaviour["payment"], "refused">): string {
  switch (result.outcome) {
    case "completed":
    case "paid":
      return result.outcome;
    case "pending":
      return "pending for ever";
    case "failed":
      return `failed: ${"reason" in result ? result.reason : result.error}`;
  }
}

/** Pasted into a shell they work as they are: that is tested. */
function chargeCommand({ url, accessToken, companyId }: StartupFacts, curl: string): string[] {
  return [
    `  ${curl}${url}/v1/charges \\`,
    `    -H 'Authorization: Bearer ${accessToken}' -H 'X-Company-Id: ${companyId}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '{"amount":10000,"externalId":"order-1","description":"Shoes",`,
    `         "onCanceledRedirectionUrl":"https://shop.test/no",`,
    `         "onCompletedRedirectionUrl":"https://shop.test/yes"}'`,
  ];
}

function advanceCommand({ url, hasAdminToken }: StartupFacts, curl: string): string[] {
  const authorization = hasAdminToken ? [`    -H "Authorization: Bearer $SANDBOX_ADMIN_TOKEN" \\`] : [];
  return [
    `  ${curl}${url}/_sandbox/clock/advance \\`,
    ...authorization,
    `    -H 'Content-Type: application/json' -d '{"by":"1h"}'`,
  ];
}

/** How this system opens an address in the browser of its user. No shell reads the address. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** The dashboard's address, for people. */
export function dashboardOf(url: string): string {
  return `${url}/_sandbox`;
}

/** `--open`: shows the dashboard. That there is no browser is a warning: the sandbox runs all the same. */
export function openBrowser(url: string, log: Log): void {
  const [command, ...args] = openers[process.platform] ?? ["xdg-open"];
  const warn = (why: string): void =>
    log.write("warn", "browser-not-opened", {
      url,
      message: `Failed to open a browser: ${why}. Open ${url} yourself.`,
    });
  const child = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  child.once("error", (error) => warn(error.message));
  child.once("exit", (code) => {
    if (code !== null && code !== 0) warn(`${command} ended with ${code}`);
  });
  // The sandbox may stop while the browser stays.
  child.unref();
}
