import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { DEFAULT_COMPANY } from "../../src/sandbox/config/options.js";
import { openDesk } from "../support/desk.js";

const run = promisify(execFile);

it.each([
  ["curl", "sh", "-c"],
  ["Node", process.execPath, "--input-type=module", "-e"],
  ["Python", "python3", "-c"],
  ["PHP", "php", "-r"],
])("the page to connect has a snippet for %s that prints the balance", async (language, command, ...options) => {
  const desk = await openDesk();
  const { html, commands } = await desk.open("/connect");
  const titles = [...html.matchAll(/aria-label="Command: ([^"]*)">/g)].map(([, title]) => title);
  const code = (commands[titles.indexOf(language)] ?? "").replace(/^<\?php/, "");
  const env = {
    PATH: process.env["PATH"],
    SANDBOX_URL: desk.live.url,
    SANDBOX_ACCESS_TOKEN: DEFAULT_COMPANY.token,
    SANDBOX_COMPANY_ID: DEFAULT_COMPANY.id,
  };
  const { stdout } = await run(command, [...options, code], { env });
  expect(stdout).toMatch(/balance["']?: ?10000000/);
});
