import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { DASHBOARD } from "../support/dashboard.js";
import { openDesk } from "../support/desk.js";

const run = promisify(execFile);

/** What an .env file says, as a shell reads it. */
async function readEnv(lines: string): Promise<Record<string, string>> {
  const { stdout } = await run("sh", ["-c", `set -a; ${lines}\nexec env`], { env: {} });
  return Object.fromEntries(stdout.split("\n").map((line) => line.split(/=(.*)/s).slice(0, 2)));
}

describe("the page to connect an application", () => {
  it("has address, token, company and secret key, and the same as an .env", async () => {
    const desk = await openDesk();
    const { live } = desk;
    await live.control("POST", "/companies", { companyId: "two", accessToken: `at'"$x`, secretKey: "a secret $key" });
    const { commands } = await desk.get(`${DASHBOARD}/connect?company=two`);
    expect(commands.slice(0, 4)).toEqual([live.url, `at'"$x`, "two", "a secret $key"]);
    expect(await readEnv(commands[4] ?? "")).toMatchObject({
      SANDBOX_URL: live.url,
      SANDBOX_ACCESS_TOKEN: `at'"$x`,
      SANDBOX_COMPANY_ID: "two",
      SANDBOX_SECRET_KEY: "a secret $key",
    });
  });
});
