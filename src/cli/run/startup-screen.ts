import { spawn } from "node:child_process";
import type { Log } from "../../kernel/log.js";
import { formatDuration } from "../../kernel/time/duration.js";
import { toIso } from "../../kernel/time/instant.js";
import { VERSION } from "../../kernel/version.js";
import { type Colors, alignColumns } from "../shared/output.js";
import type { Company } from "../../sandbox/company/company.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { RunningSandbox } from "./run-sandbox.js";
import { type NumberBehaviour, type TestNumberRole, numberBehaviours } from "../../domain/accounts/test-numbers.js";

export function renderStartupScreen({ sandbox, url, loaded }: RunningSandbox, colors: Colors): string {
  const { bold, dim, cyan } = colors;
  const { publicUrl } = sandbox.options;
  const company = sandbox.findDefaultCompany();
  const rows: [string, string][] = [
    ["API", cyan(url)],
    ...(publicUrl === undefined ? [] : [["From outside", cyan(publicUrl)] as [string, string]]),
    ["Dashboard", cyan(dashboardOf(url))],
    ["Control API", `${cyan(`${url}/_sandbox/`)}${dim("…")}`],
    ["OpenAPI", cyan(`${url}/openapi.yaml`)],
    ...(company === undefined
      ? [["Companies", "none is open"] as [string, string]]
      : companyRows(sandbox, company, url, colors)),
    ...(loaded === undefined ? [] : [["Store", loaded] as [string, string]]),
  ];
  return [
    "",
    bold(`Business Payments Sandbox ${VERSION}`),
    "",
    ...alignColumns(rows.map(([label, value]) => [`  ${label}`, value])).map((line) =>
      line.replace(/^ {2}\S+(?: \S+)*/, dim),
    ),
    "",
    ...(company === undefined ? [] : firstSteps(sandbox, company, url, colors)),
    "",
  ].join("\n");
}

function companyRows(sandbox: Sandbox, company: Company, url: string, { dim }: Colors): [string, string][] {
  const { seed } = sandbox.options;
  const { tokens, secretKey } = company.record.identity;
  const otherCompanies = sandbox.companies.length - 1;
  const others = otherCompanies === 0 ? "" : dim(`  and ${otherCompanies} more: ${url}/_sandbox/companies`);
  return [
    ["Access token", tokens[0]?.token ?? ""],
    ["Company id", `${company.id}${others}`],
    ["Secret key", secretKey],
    ["Clock", `${company.clock.mode}, ${toIso(company.now())}${seed === undefined ? "" : dim(`  seed ${seed}`)}`],
  ];
}

function firstSteps({ options }: Sandbox, { id, profile, record }: Company, url: string, colors: Colors): string[] {
  const accessToken = record.identity.tokens[0]?.token ?? "";
  // curl usually does not trust the certificate of a local sandbox.
  const curl = `${url.startsWith("https:") ? "curl -k " : "curl "}${url}`;
  return [
    ...renderTestNumbers(profile.testNumbers, colors),
    "",
    colors.dim("  Read the balance, create a charge, skip the hour after which it is dropped:"),
    `  ${curl}/v1/balance -H 'Authorization: Bearer ${accessToken}'`,
    ...chargeCommand(curl, accessToken, id),
    ...advanceCommand(curl, options.adminToken !== undefined),
    "",
  ];
}

function renderTestNumbers(numbers: Readonly<Record<TestNumberRole, string>>, { dim }: Colors): string[] {
  const roles = Object.entries(numberBehaviours) as [TestNumberRole, NumberBehaviour][];
  const rows = roles.map(([role, behaviour]) => [numbers[role], ...effectsOf(behaviour)]);
  const [title = "", ...lines] = alignColumns([["Test numbers", "transfer", "payment of a charge"], ...rows]);
  return [dim(`  ${title}`), ...lines.map((line) => `  ${line}`)];
}

function effectsOf({ transfer, payment, lateMs, silent, confirmMs }: NumberBehaviour): [string, string] {
  const webhook = silent ? ", no webhook" : "";
  const late = lateMs === 0 ? "" : `, ${formatDuration(lateMs)} late`;
  const confirmed = confirmMs === undefined ? "" : `, after ${formatDuration(confirmMs)}`;
  return [
    transfer === "refused" ? "refused with 422" : `${outcomeText(transfer)}${late}${webhook}`,
    payment === "refused" ? "refused with 422" : `${outcomeText(payment)}${confirmed}${webhook}`,
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

/** Tests run these commands in a shell. */
function chargeCommand(curl: string, accessToken: string, companyId: string): string[] {
  return [
    `  ${curl}/v1/charges \\`,
    `    -H 'Authorization: Bearer ${accessToken}' -H 'X-Company-Id: ${companyId}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '{"amount":10000,"externalId":"order-1","description":"Shoes",`,
    `         "onCanceledRedirectionUrl":"https://shop.test/no",`,
    `         "onCompletedRedirectionUrl":"https://shop.test/yes"}'`,
  ];
}

function advanceCommand(curl: string, hasAdminToken: boolean): string[] {
  const authorization = hasAdminToken ? [`    -H "Authorization: Bearer $SANDBOX_ADMIN_TOKEN" \\`] : [];
  return [
    `  ${curl}/_sandbox/clock/advance \\`,
    ...authorization,
    `    -H 'Content-Type: application/json' -d '{"by":"1h"}'`,
  ];
}

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

export function dashboardOf(url: string): string {
  return `${url}/_sandbox`;
}

/** Opens an address in a browser, or logs a warning. */
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
  // The browser may outlive the sandbox.
  child.unref();
}
