import { systemClock } from "../kernel/system-clock.js";

/**
 * Resolves at the first SIGINT or SIGTERM. At the next one the process ends at once, with the code a shell expects of that signal. As process
 * 1 of a container nobody else would react to them.
 */
export function nextStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const onSignal = (exitCode: number): void => {
      if (firstAt === undefined) {
        firstAt = systemClock.monotonic();
        resolve();
      } else if (!isEcho(firstAt)) {
        process.exit(exitCode);
      }
    };
    process.on("SIGINT", () => onSignal(130));
    process.on("SIGTERM", () => onSignal(143));
  });
}

/** npm and npx hand on the Ctrl-C that the terminal has already sent to every process: two signals, one key. */
function isEcho(firstAt: number): boolean {
  return process.env["npm_command"] !== undefined && systemClock.monotonic() - firstAt < ECHO_MS;
}

const ECHO_MS = 100;
