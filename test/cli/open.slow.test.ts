import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openBrowser } from "../../src/cli/run/startup-screen.js";
import { type StartedSandbox, runSandbox, startSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { startReceiver } from "../support/receiver.js";

/** The names of the commands that open an address, on any system. */
const NAMES = ["xdg-open", "open"];

/** A folder for PATH in which each of these commands runs `script`. */
async function pathWith(script: string): Promise<string> {
  const folder = await folderWith(Object.fromEntries(NAMES.map((name) => [name, script])));
  for (const name of NAMES) await chmod(join(folder, name), 0o755);
  return folder;
}

async function started(args: readonly string[], env: Readonly<Record<string, string>>): Promise<StartedSandbox> {
  const sandbox = await startSandbox(args, { env });
  onTestFinished(async () => void (await sandbox.stop()));
  return sandbox;
}

/** A browser that reports the URL it opens to a receiver. */
async function tellingBrowser() {
  const receiver = await startReceiver();
  const script = `#!${process.execPath}\nfetch("${receiver.url}", { method: "POST", body: JSON.stringify(process.argv.slice(2)) });\n`;
  return { receiver, env: { PATH: await pathWith(script) } };
}

describe.skipIf(process.platform === "win32")("--open", () => {
  it.each([
    ["the flag", ["--open"], {}],
    ["SANDBOX_OPEN", [], { SANDBOX_OPEN: "1" }],
  ])("shows the dashboard in a browser: %s", async (_, args, variables) => {
    const { receiver, env } = await tellingBrowser();
    const { url } = await started(args, { ...env, ...variables });
    const [asked] = await receiver.waitFor(1);
    expect(asked?.body).toEqual([`${url}/_sandbox`]);
    const page = await fetch(`${url}/_sandbox`);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  });

  it("works with exec", async () => {
    const { receiver, env } = await tellingBrowser();
    const wait = `fetch(process.env.SANDBOX_URL + "/_sandbox/health")`;
    const { code } = await runSandbox(["exec", "--open", "--", process.execPath, "-e", wait], { env });
    expect(code).toBe(0);
    expect((await receiver.waitFor(1))[0]?.body).toEqual([
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/_sandbox$/),
    ]);
  });

  it.each([
    ["there is none", async () => folderWith({}), /: .*ENOENT/],
    ["it could not be opened", () => pathWith(`#!${process.execPath}\nprocess.exit(3);\n`), /: \S+ ended with 3/],
  ])("only warns when %s", async (_, path, why) => {
    vi.stubEnv("PATH", await path());
    const [level, event, fields] = await new Promise<readonly unknown[]>((resolve) => {
      openBrowser("http://127.0.0.1:4010/_sandbox", { write: (...line) => resolve(line) });
    });
    expect([level, event]).toEqual(["warn", "browser-not-opened"]);
    expect(fields).toEqual({ url: "http://127.0.0.1:4010/_sandbox", message: expect.stringMatching(why) });
    expect(fields).toMatchObject({ message: expect.stringContaining("Open http://127.0.0.1:4010/_sandbox yourself.") });
  });

  it("is off by default", async () => {
    const { receiver, env } = await tellingBrowser();
    const sandbox = await started([], env);
    await sandbox.stop();
    expect(receiver.received).toEqual([]);
  });
});
