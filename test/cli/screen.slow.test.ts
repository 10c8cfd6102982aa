import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { VERSION } from "../../src/kernel/version.js";
import { runUntilListening, startSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { selfSigned } from "../support/self-signed.js";

const run = promisify(execFile);

describe("the screen of start", () => {
  it("shows the store and its content", async () => {
    const cwd = await folderWith({});
    const storeLine = async (...args: string[]): Promise<string | undefined> => {
      const { stdout } = await runUntilListening(["--port", "0", "--store", "file:data/sb.json", ...args], { cwd });
      return /^ {2}Store .*$/m.exec(stdout)?.[0];
    };
    await writeFile(join(cwd, "one.yaml"), "charges: [{ amount: 100, externalId: a, description: Shoes }]");
    expect(await storeLine("--fixtures", "one.yaml")).toBe("  Store         file:data/sb.json (new)");
    expect(await storeLine()).toBe("  Store         file:data/sb.json (1 charge, 0 transfers)");
  });

  it("shows everything that a first call needs", async () => {
    const { stdout } = await runUntilListening(["--port", "0", "--clock", "2026-01-15T09:00:00Z", "--seed", "7"]);
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0] ?? "";
    const [screen = ""] = stdout.split("2026-01-15\n");
    expect(screen.replaceAll(url, "URL")).toBe(`
Business Payments Sandbox ${VERSION}

  API           URL
  Dashboard     URL/_sandbox
  Control API   URL/_sandbox/…
  OpenAPI       URL/openapi.yaml
  Access token  at_sandbox
  Company id    company_sandbox
  Secret key    secret_sandbox
  Clock         frozen, 2026-01-15T09:00:00.000Z  seed 7

  Test numbers    transfer                       payment of a charge
  +2250700000001  completed                      paid
  +2250700000002  failed: recipient_unreachable  failed: payment_declined
  +2250700000003  pending for ever               failed: timeout
  +2250700000004  completed, 10m late            paid
  +2250700000005  completed, no webhook          paid, no webhook
  +2250700000006  failed: limit_exceeded         failed: insufficient_funds
  +2250700000007  refused with 422               refused with 422
  +2250700000008  failed: identity_not_verified  failed: identity_not_verified
  +2250700000009  completed                      paid, after 30s

  Read the balance, create a charge, skip the hour after which it is dropped:
  curl URL/v1/balance -H 'Authorization: Bearer at_sandbox'
  curl URL/v1/charges \\
    -H 'Authorization: Bearer at_sandbox' -H 'X-Company-Id: company_sandbox' \\
    -H 'Content-Type: application/json' \\
    -d '{"amount":10000,"externalId":"order-1","description":"Shoes",
         "onCanceledRedirectionUrl":"https://shop.test/no",
         "onCompletedRedirectionUrl":"https://shop.test/yes"}'
  curl URL/_sandbox/clock/advance \\
    -H 'Content-Type: application/json' -d '{"by":"1h"}'

`);
  });

  it("has the same text in colour, at most 100 columns wide", async () => {
    const args = ["--port", "0", "--clock", "2026-01-15T09:00:00Z"];
    const [plain, coloured] = await Promise.all([
      runUntilListening(args, { env: { NO_COLOR: "1" } }),
      runUntilListening(args, { env: { FORCE_COLOR: "1" } }),
    ]);
    expect(plain.stdout).not.toContain("\u001B[");
    expect(coloured.stdout).toContain("\u001B[");
    const anyPort = (text: string): string => text.replaceAll(/127\.0\.0\.1:\d+/g, "HOST");
    expect(anyPort(stripVTControlCharacters(coloured.stdout))).toBe(anyPort(plain.stdout));
    expect(plain.stdout.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });

  it("shows the configured company, and the number of others", async () => {
    const cwd = await folderWith({
      "sandbox.config.yaml": `publicUrl: https://pay.test
profile: { testNumbers: { success: "+2250100000001" } }
companies:
  - { companyId: company_shop, accessToken: at_shop_live, secretKey: whsec }
  - { companyId: company_bank }
`,
    });
    const { stdout } = await runUntilListening(["--port", "0"], { cwd });
    expect(stdout).toContain("  From outside  https://pay.test\n");
    expect(stdout).toMatch(/ {2}Company id {4}company_shop {2}and 1 more: http:\S+\/_sandbox\/companies\n/);
    expect(stdout).toContain("  Access token  at_shop_live\n");
    expect(stdout).toContain("  Secret key    whsec\n");
    expect(stdout).toContain("  +2250100000001  completed");
  });
});

/** The answers to the curl commands of a screen printed for `url`, run in a shell. */
async function paste(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<unknown[]> {
  const sandbox = await startSandbox(args, options);
  onTestFinished(async () => void (await sandbox.stop()));
  const { stdout } = await runUntilListening(["--port", "0", ...args], options);
  const screen = stdout.replaceAll(/https?:\/\/127\.0\.0\.1:\d+/g, sandbox.url);
  const commands = screen.slice(screen.indexOf("  curl "), screen.lastIndexOf("}'") + 2).split(/^(?= {2}curl )/m);
  const answers: unknown[] = [];
  for (const command of commands) {
    const pasted = await run("sh", ["-c", command.replace("curl ", "curl -sS ")], {
      env: { ...process.env, ...options.env },
    });
    answers.push(JSON.parse(pasted.stdout));
  }
  return answers;
}

describe("the curl commands of the screen, pasted into a shell", () => {
  const answers = [
    { balance: 10_000_000, currency: "XOF" },
    expect.objectContaining({ status: "created", amount: 10_000 }),
    expect.objectContaining({ now: "2026-01-15T10:00:00.000Z", firedCount: 1 }),
  ];
  const clock = ["--clock", "2026-01-15T09:00:00Z"];

  it("read the balance, create a charge and drop it", async () => {
    expect(await paste(clock)).toEqual(answers);
  });

  it("work with an admin token in the environment", async () => {
    expect(await paste(clock, { env: { SANDBOX_ADMIN_TOKEN: "hush" } })).toEqual(answers);
  });

  it("work over HTTPS", async () => {
    const cwd = await folderWith({ "cert.pem": selfSigned.cert, "key.pem": selfSigned.key });
    expect(await paste([...clock, "--tls-cert", "cert.pem", "--tls-key", "key.pem"], { cwd })).toEqual(answers);
  });
});
