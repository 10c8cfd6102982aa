import { spawn } from "node:child_process";
import type { Log } from "../kernel/log.js";

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
